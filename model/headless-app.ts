import type { AnyActor } from 'xstate';
import { createClock } from './clock.ts';
import { bannersOn, formNames, forms, submitEvent, type Call, type FormName } from './calls.ts';
import type { Observation } from './driver.ts';
import type { Route } from './screens.ts';
import { createActors } from '../src/actors.ts';
import type { Api } from '../src/api/api.ts';

type AppOptions = Pick<Parameters<typeof createActors>[0], 'inspect' | 'log'>;

/**
 * Runs the app's machines and their wiring without screens. Instead of screens it has the path, the
 * values of the form in view, and what the screens derive from the machines.
 */
export function createHeadlessApp(api: Api, options: Partial<AppOptions> = {}) {
  const clock = createClock();
  let path: Route = '/';
  let values: string[] = [];
  let isAnnounced = false;

  const { auth, projects } = createActors({
    api,
    clock,
    log: () => {},
    ...options,
    router: {
      get state() {
        return { location: { pathname: path } };
      },
      navigate: ({ to }) => go(to),
    },
  });
  projects.on('project.created', ({ project }) => {
    if (path !== '/projects') return;
    if (Object.values(project ?? {}).every((text, index) => text === values[index])) {
      values = ['', ''];
    }
    isAnnounced = true;
  });
  projects.on('project.discarded', () => {
    if (path === '/projects') values = ['', ''];
  });
  auth.start();
  projects.start();

  function go(route: Route) {
    if (path === route) return;
    if (path === '/projects') projects.send({ type: 'projects.closed' });
    path = route;
    isAnnounced = false;
    if (route === '/projects') projects.send({ type: 'projects.opened' });
    const { submitted } = projects.getSnapshot().context;
    values = route === '/projects' && submitted ? Object.values(submitted) : ['', ''];
  }

  /** Returns the actor that makes a call. */
  const actorOf = (call: Call): AnyActor =>
    call in auth.logic.implementations.actors ? auth : projects;

  return {
    auth,
    projects,
    clock,
    actorOf,
    go: async (route: Route) => go(route),
    async submit(form: FormName, typed: string[] | undefined) {
      if (typed) values = typed;
      actorOf(form).send(submitEvent(form, values));
    },
    async observe(): Promise<Omit<Observation, 'calls' | 'logged'>> {
      const name = formNames.find((form) => forms[form].route === path);
      const isBusy = name && actorOf(name).getSnapshot().children[name] !== undefined;
      const snapshot = projects.getSnapshot();
      const isLoading = snapshot.matches({ list: 'loading' });
      const emptyNote = isLoading ? 'Loading projects…' : 'No projects to show.';
      const rows = snapshot.context.projects.map(({ title, description }): [string, string] => [
        title,
        description,
      ]);
      const list = { busy: isLoading, rows, note: rows.length > 0 ? undefined : emptyNote };
      return {
        path,
        form: name && { button: forms[name].button, busy: isBusy === true, values: [...values] },
        banners: bannersOn(path, (call) => actorOf(call).getSnapshot().context),
        list: path === '/projects' ? list : undefined,
        announced: isAnnounced ? 'The project was created.' : '',
      };
    },
  };
}
