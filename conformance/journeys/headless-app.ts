import type { AnyActor } from 'xstate';
import { isAuthenticated, roleOf } from '../../machines/auth.ts';
import { createClock } from '../../model/clock.ts';
import {
  bannersOn,
  callNames,
  definitionOf,
  formNames,
  forms,
  submitEvent,
  userEvent,
  type Call,
  type FormName,
} from '../../model/calls.ts';
import type { Observation } from '../../model/driver.ts';
import type { Route } from '../../model/screens.ts';
import { createActors, type Inspect } from '../../src/actors.ts';
import type { Api } from '../../src/api/api.ts';

/**
 * Runs the app's machines and their wiring without screens. Instead of screens it has the path, the
 * values of the form in view, and what the screens derive from the machines.
 */
export function createHeadlessApp(api: Api, inspect?: Inspect) {
  const logged: string[] = [];
  const clock = createClock();
  let path: Route = '/';
  let values: string[] = [];
  let isAnnounced = false;

  const { auth, projects } = createActors({
    api,
    clock,
    ...(inspect && { inspect }),
    log: (operationId) => logged.push(operationId),
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
    logged,
    go,
    submit(form: FormName, typed: string[] | undefined) {
      if (typed) values = typed;
      actorOf(form).send(submitEvent(form, values));
    },
    activate(button: string, row: number | undefined) {
      const call = callNames.find((name) => definitionOf(name).control?.button === button)!;
      const rows = projects.getSnapshot().context.projects;
      actorOf(call).send(userEvent(call, 0, row === undefined ? rows : rows.slice(row))!);
    },
    internals: () => ({
      authenticated: isAuthenticated(auth.getSnapshot()),
      role: roleOf(auth.getSnapshot()),
    }),
    observe(): Omit<Observation, 'calls'> {
      return {
        path,
        ...screenContent(),
        announced: isAnnounced ? 'The project was created.' : '',
        logged: [...logged],
      };
    },
  };

  function screenContent(): Pick<Observation, 'form' | 'banners' | 'list'> {
    const projectsNow = projects.getSnapshot();
    const name = formNames.find((form) => forms[form].route === path);
    const isBusy = name && actorOf(name).getSnapshot().children[name] !== undefined;
    const isLoading = projectsNow.matches({ list: 'loading' });
    const emptyNote = isLoading ? 'Loading projects…' : 'No projects to show.';
    const rows = projectsNow.context.projects;
    return {
      form: name && { button: forms[name].button, busy: isBusy === true, values: [...values] },
      banners: bannersOn(path, (call) => actorOf(call).getSnapshot().context),
      list:
        path === '/projects'
          ? {
              busy: isLoading,
              rows: rows.map(({ title, description }) => [title, description]),
              note: rows.length > 0 ? undefined : emptyNote,
            }
          : undefined,
    };
  }
}
