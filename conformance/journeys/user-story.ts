import { fail } from '../verdict.ts';
import { waitFor } from 'xstate';
import { isAuthenticated } from '../../machines/auth.ts';
import { createActors } from '../../src/actors.ts';
import { createApi } from '../../src/api/api.ts';
import type { SimulatedBrowser } from '../http/simulated-browser.ts';
import type { Exchange } from '../http/client.ts';
import type { RunContext } from '../run-context.ts';

/** Longer than any call is waited for. */
const callTimeout = { timeout: 30_000 };

/** One visitor, one browser, from the first call to the reload, by the app's own machines. */
export async function userStory(context: RunContext) {
  const browser = context.newBrowser('story');
  const exchanges: Exchange[] = [];
  const email = context.fixtures.email('story');
  const password = context.fixtures.password('story');
  context.secrets.add(password);
  const projects = ['one', 'two'].map((name) => context.fixtures.project(`of the story, ${name}`));

  let app = start(browser, exchanges);
  const stop = (what: string, sees: string): never => fail(what, exchanges.slice(-4), sees);

  app.auth.send({ type: 'registerUser', credentials: { email, password } });
  await waitFor(app.auth, (now) => !now.matches('registering'), callTimeout);
  if (!isAuthenticated(app.auth.getSnapshot()))
    stop('Registering failed.', 'no text at all: the form "Create an account" as it was');

  app.auth.send({ type: 'login', credentials: { email, password } });
  await waitFor(app.auth, (now) => !now.matches('loggingIn'), callTimeout);
  const signedIn = app.auth.getSnapshot();
  if (!isAuthenticated(signedIn))
    stop(
      'Signing in after registering failed.',
      `red banner: "${signedIn.context.loginErrorMessage}"`,
    );

  const open = async () => {
    app.projects.send({ type: 'projects.opened' });
    const now = await waitFor(
      app.projects,
      (snapshot) => !snapshot.matches({ list: 'loading' }),
      callTimeout,
    );
    if (now.matches({ list: 'failed' }))
      stop(
        'The list could not be fetched after signing in.',
        'an empty list: "No projects to show."',
      );
    return now.context.projects.map(({ id }) => String(id));
  };
  await open();

  const made: string[] = [];
  for (const project of projects) {
    app.projects.send({ type: 'createProject', project });
    const now = await waitFor(
      app.projects,
      (snapshot) => !snapshot.matches({ create: 'creating' }),
      callTimeout,
    );
    const { createErrorMessage, projects: rows } = now.context;
    if (now.matches({ create: 'failed' })) {
      stop(
        'Creating a project failed.',
        createErrorMessage === undefined
          ? 'no message and no new row'
          : `red banner: "${createErrorMessage}"`,
      );
    }
    const last = rows.at(-1)!;
    if (last.title !== project.title || last.description !== project.description) {
      stop(
        'The row of a created project has another text than was typed.',
        `a row that reads "${last.title}"`,
      );
    }
    made.push(String(last.id));
  }

  const expectAll = (ids: string[], when: string) => {
    const missing = made.filter((id) => !ids.includes(id));
    if (missing.length > 0)
      stop(
        `${when}, ${missing.length} of ${made.length} created projects are missing from the list.`,
        ids.length > 0 ? 'the other projects' : '"No projects to show."',
      );
  };
  app.projects.send({ type: 'projects.closed' });
  expectAll(await open(), 'After leaving the screen and coming back');
  app.stop();

  app = start(browser, exchanges);
  expectAll(await open(), 'After reloading the page');
  app.stop();
}

function start(browser: SimulatedBrowser, exchanges: Exchange[]) {
  const api = createApi({
    origin: browser.http.origin,
    cookies: () => browser.documentCookies(),
    fetch: (request) => browser.fetch(request, { note: (exchange) => exchanges.push(exchange) }),
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
