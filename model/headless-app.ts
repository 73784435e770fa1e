import type { AnyActor } from 'xstate';
import { isAuthenticated, roleOf } from '../machines/auth.ts';
import { emptiesForm, hasListFailed, visibleRows } from '../machines/projects.ts';
import { createActors, type Actors, type ActorsOptions, type Inspect } from '../src/actors.ts';
import type { Api } from '../src/api/api.ts';
import { createDrafts } from '../src/draft.ts';
import {
  callNames,
  emptyFormAt,
  inputOf,
  pressEvent,
  valuesOf,
  type Call,
  type FormName,
  type PressedCall,
} from './calls.ts';
import { createClock } from './clock.ts';
import { screenOf, type Observation } from './observation.ts';

/**
 * Runs the app's machines and their wiring without screens. It has the path and the values of the
 * form in view.
 */
// oxlint-disable-next-line max-lines-per-function -- its methods share the state of one app
export function createHeadlessApp(api: Api, inspect?: Inspect) {
  const clock = createClock();
  const logged: string[] = [];
  let path = '/';
  let values: string[] = [];
  let user: string | undefined;
  let onSessionChange: Parameters<ActorsOptions['session']['subscribe']>[0];
  /** Called when the user follows the link of the screen in view. */
  let onSameLink: Parameters<NonNullable<ActorsOptions['router']>['subscribe']>[1];

  const items = new Map<string, string>();
  const drafts = createDrafts(() => ({
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => void items.set(name, value),
    removeItem: (name) => void items.delete(name),
  }));
  let actors: Actors;
  const draft = () => inputOf('createProject', values);
  load();

  function load() {
    actors = createActors({
      api,
      session: {
        user: () => user,
        signIn: (email) => changeUser(email, false),
        subscribe(listener) {
          onSessionChange = listener;
          return () => {};
        },
      },
      drafts,
      clock,
      ...(inspect && { inspect }),
      log: (operationId) => logged.push(operationId),
      router: {
        get state() {
          return { location: { pathname: path } };
        },
        navigate: ({ to }) => go(to),
        subscribe: (_, listener) => (onSameLink = listener),
      },
    });
    actors.projects.on('*', (event) => {
      if (path === '/projects' && emptiesForm(event, draft())) values = emptyFormAt(path);
    });
    for (const actor of Object.values(actors)) actor.start();
    openScreen();
  }

  function go(address: string) {
    if (path === address) {
      onSameLink({ fromLocation: {}, toLocation: { pathname: path }, hrefChanged: false });
      return;
    }
    if (path === '/projects') actors.projects.send({ type: 'projects.closed', draft: draft() });
    path = address;
    openScreen();
  }

  function openScreen() {
    const { auth, projects } = actors;
    values = emptyFormAt(path);
    const { registeredEmail } = auth.getSnapshot().context;
    if (path === '/login' && registeredEmail !== undefined) values = [registeredEmail, ''];
    if (path !== '/projects') return;
    values = valuesOf('createProject', projects.getSnapshot().context.typed);
    projects.send({ type: 'projects.opened' });
  }

  function changeUser(email: string, isElsewhere: boolean) {
    user = email.toLowerCase();
    onSessionChange({ user, isElsewhere });
  }

  const actorOf = (call: Call): AnyActor =>
    Object.values<AnyActor>(actors).find(({ logic }) => call in logic.implementations.actors)!;

  return {
    actors: () => actors,
    clock,
    go: async (address: string) => go(address),
    async fill(form: FormName, typed: string[]) {
      values = typed;
      if (form === 'createProject') actors.projects.send({ type: 'draft.typed', draft: draft() });
    },
    press: async (call: PressedCall) => actorOf(call).send(pressEvent(call, values)),
    async signInElsewhere(email: string) {
      if (user !== email.toLowerCase()) changeUser(email, true);
    },
    async reload(email = user) {
      for (const actor of Object.values(actors)) actor.stop();
      user = email?.toLowerCase();
      load();
    },
    async observe(): Promise<Omit<Observation, 'calls'>> {
      const [ofAuth, ofProjects] = [actors.auth.getSnapshot(), actors.projects.getSnapshot()];
      const errorMessages = {
        '/login': ofAuth.context.loginErrorMessage,
        '/projects': ofProjects.context.createErrorMessage,
      };
      return {
        ...screenOf({
          path,
          values,
          announced: ofProjects.context.createdCount > 0 ? 'The project was created.' : '',
          pending: callNames.filter((call) => actorOf(call).getSnapshot().children[call]),
          hasListFailed: hasListFailed(ofProjects),
          errorMessages,
          projects: visibleRows(ofProjects),
        }),
        logged: [...logged],
        authenticated: isAuthenticated(ofAuth),
        role: roleOf(ofAuth),
      };
    },
  };
}
