import { waitFor } from 'xstate';
import { isAuthenticated } from '../../machines/auth.ts';
import { createActors } from '../../src/actors.ts';
import { createApi } from '../../src/api/api.ts';
import { describeFailureScreen } from '../describe.ts';
import type { Exchange } from '../http/client.ts';
import type { SimulatedBrowser } from '../http/simulated-browser.ts';
import type { RunContext } from '../run-context.ts';
import { fail } from '../verdict.ts';

/** Longer than the timeout of any request. */
const waitOptions = { timeout: 300_000 };

/** Registers, signs in, creates projects and reloads with the app's own machines. */
export async function userStory(context: RunContext) {
  const browser = context.newBrowser('story');
  const exchanges: Exchange[] = [];
  const credentials = {
    email: context.fixtures.email('story'),
    password: context.fixtures.password('story'),
  };
  context.secrets.add(credentials.password);
  const failStory = (
    description: string,
    userSees = describeFailureScreen(exchanges.at(-1)!),
  ): never => fail(description, exchanges.slice(-4), userSees);

  let app = startApp(browser, exchanges);
  app.auth.send({ type: 'registerUser', credentials });
  const registered = await waitFor(app.auth, (auth) => !auth.matches('registering'), waitOptions);
  if (!isAuthenticated(registered)) failStory('Registering failed.');

  app.auth.send({ type: 'login', credentials });
  const signedIn = await waitFor(app.auth, (auth) => !auth.matches('loggingIn'), waitOptions);
  if (!isAuthenticated(signedIn)) failStory('Signing in after registering failed.');

  async function openProjects(): Promise<string[]> {
    app.projects.send({ type: 'projects.opened' });
    const opened = await waitFor(
      app.projects,
      (projects) => !projects.matches({ list: 'loading' }),
      waitOptions,
    );
    if (opened.matches({ list: 'failed' })) failStory('Fetching the list after signing in failed.');
    return opened.context.projects.map(({ id }) => String(id));
  }
  await openProjects();

  const createdIds: string[] = [];
  for (const name of ['one', 'two']) {
    const project = context.fixtures.project(`of the story, ${name}`);
    app.projects.send({ type: 'createProject', project });
    const created = await waitFor(
      app.projects,
      (projects) => !projects.matches({ create: 'creating' }),
      waitOptions,
    );
    const { createErrorMessage, projects: rows } = created.context;
    if (created.matches({ create: 'failed' })) {
      failStory(
        'Creating a project failed.',
        createErrorMessage === undefined
          ? 'no message and no new row'
          : `red banner: "${createErrorMessage}"`,
      );
    }
    const last = rows.at(-1)!;
    if (last.title !== project.title || last.description !== project.description) {
      failStory(
        'The new row has a different text than the user typed.',
        `a row that reads "${last.title}"`,
      );
    }
    createdIds.push(String(last.id));
  }

  function expectCreated(ids: string[], when: string) {
    const missing = createdIds.filter((id) => !ids.includes(id));
    if (missing.length > 0)
      failStory(
        `${when}, ${missing.length} of ${createdIds.length} created projects are missing from the list.`,
        ids.length > 0 ? 'the other projects' : '"No projects to show."',
      );
  }
  app.projects.send({ type: 'projects.closed' });
  expectCreated(await openProjects(), 'After leaving the screen and coming back');
  app.stop();

  app = startApp(browser, exchanges);
  expectCreated(await openProjects(), 'After reloading the page');
  app.stop();
}

/** Starts the app's actors. A second start with the same browser is a reload. */
function startApp(browser: SimulatedBrowser, exchanges: Exchange[]) {
  const api = createApi({
    origin: browser.http.origin,
    cookies: () => browser.documentCookies(),
    fetch: (request) =>
      browser.fetch(request, { onExchange: (exchange) => exchanges.push(exchange) }),
  });
  const actors = createActors({ api, log: () => {} });
  actors.auth.start();
  actors.projects.start();
  const stop = () => {
    actors.auth.stop();
    actors.projects.stop();
  };
  return { ...actors, stop };
}
