import type { AnyMachineSnapshot, AnyStateMachine, SnapshotFrom } from 'xstate';
import {
  isAuthenticated,
  role,
  type AuthEmitted,
  type AuthEvent,
  type authMachine,
} from '../machines/auth.ts';
import type { ProjectsEvent, projectsMachine } from '../machines/projects.ts';
import type { StatesOf, Step } from './paths.ts';
import type { Call } from './outcomes.ts';
import { forms, type FormName, type Driver, type Route, type Observation } from './driver.ts';
import type { AuthMove, ProjectsMove } from './moves.ts';

/** The part of what is seen that follows from being in a state. */
type Expected = Partial<Omit<Observation, 'calls'>>;

/** Where the person is, and what stands in the form there. */
export type Place = { path: Route; values: string[] };

/** How a machine shows: what is seen in each state, and where its steps lead the person. */
export type Expectations<Machine extends AnyStateMachine, Name extends string> = {
  start: Route;
  states: Record<StatesOf<Machine>, (snapshot: SnapshotFrom<Machine>, place: Place) => Expected>;
  placeAfter: (step: Step<Machine, Name>, place: Place) => Place;
  /** What the machine lets others know and no screen shows. */
  known?: (
    snapshot: SnapshotFrom<Machine>,
  ) => Awaited<ReturnType<NonNullable<Driver['internals']>>>;
};

const submitsAt: Record<AuthEvent['type'], Route> = { login: '/login', registerUser: '/register' };

const leadsOn: Record<AuthEmitted['type'], { from: Route; to: Route }> = {
  registered: { from: '/register', to: '/login' },
  loggedIn: { from: '/login', to: '/projects' },
};

const accounts =
  (busy: FormName | undefined) =>
  ({ context }: SnapshotFrom<typeof authMachine>, { path, values }: Place): Expected => {
    if (path === '/projects') return { path };
    const name = (['login', 'registerUser'] as const).find((form) => forms[form].route === path);
    return {
      path,
      form: name && { button: forms[name].button, busy: busy === name, values },
      banner: name === 'login' ? context.loginErrorMessage : undefined,
    };
  };

export const showingAuth: Expectations<typeof authMachine, AuthMove> = {
  start: '/',
  states: {
    unauthenticated: accounts(undefined),
    loggingIn: accounts('login'),
    registering: accounts('registerUser'),
    authenticated: accounts(undefined),
  },
  placeAfter({ event, emitted, inspection }, place) {
    if (inspection.transitions.length === 0) return place;
    if ('credentials' in event) {
      return { path: submitsAt[event.type as AuthEvent['type']], values: valuesOf(event) };
    }
    const lead = emitted
      .map(({ type }) => leadsOn[type as AuthEmitted['type']])
      .find(({ from }) => from === place.path);
    return lead ? { path: lead.to, values: ['', ''] } : place;
  },
  known: (snapshot) => ({ authenticated: isAuthenticated(snapshot), role: role(snapshot) }),
};

type Projects = SnapshotFrom<typeof projectsMachine>;

/** What is seen of the projects is seen while their screen is open. */
const whileOpen = (expected: (context: Projects['context']) => Expected) => (snapshot: Projects) =>
  snapshot.matches({ watch: 'open' }) ? expected(snapshot.context) : {};

const list = (busy: boolean, empty: string) =>
  whileOpen(({ projects }) => ({
    list: {
      busy,
      rows: projects.map(({ title, description }) => [title, description]),
      note: projects.length > 0 ? undefined : empty,
    },
  }));

const form = (busy: boolean, banner: (context: Projects['context']) => string | undefined) =>
  whileOpen((context) => ({
    form: {
      button: forms.createProject.button,
      busy,
      values: context.submitted ? Object.values(context.submitted) : ['', ''],
    },
    banner: banner(context),
  }));

const elsewhere = () => ({
  path: '/about',
  form: undefined,
  banner: undefined,
  list: undefined,
});

export const showingProjects: Expectations<typeof projectsMachine, ProjectsMove> = {
  start: '/about',
  states: {
    'list.idle': whileOpen(() => {
      throw new Error('A screen that is open has asked for its list.');
    }),
    'list.loading': list(true, 'Loading projects…'),
    'list.loaded': list(false, 'No projects to show.'),
    'list.failed': list(false, 'No projects to show.'),
    'create.idle': form(false, () => undefined),
    'create.creating': form(true, () => undefined),
    'create.failed': form(false, ({ createErrorMessage }) => createErrorMessage),
    'watch.open': () => ({ path: '/projects' }),
    'watch.closing': elsewhere,
    'watch.kept': elsewhere,
    'watch.closed': elsewhere,
  },
  placeAfter: (_, place) => place,
};

/** What the backend has heard by the end of these steps, of the calls that the machine can make. */
export function callsBy<Machine extends AnyStateMachine, Name extends string>(
  steps: Step<Machine, Name>[],
): Partial<Observation['calls']> {
  const last: AnyMachineSnapshot = steps.at(-1)!.snapshot;
  const names = Object.keys(last.machine.implementations.actors) as Call[];
  return Object.fromEntries(
    names.map((call) => {
      const made = steps.flatMap(({ inspection, event }) =>
        inspection.invoked.filter((name) => name === call).map(() => event),
      );
      return [
        call,
        { made: made.length, pending: last.children[call] ? 1 : 0, sent: bodyOf(made) },
      ];
    }),
  );
}

function bodyOf(events: object[]): unknown {
  const event = events.at(-1) as AuthEvent | ProjectsEvent | undefined;
  if (event && 'credentials' in event) return event.credentials;
  return event && 'project' in event ? event.project : undefined;
}

function valuesOf(event: object): string[] {
  return Object.values((event as AuthEvent).credentials);
}
