/** What the machines expect on the screen: per state, and per step the location of the user. */
import type { AnyMachineSnapshot, AnyStateMachine, SnapshotFrom } from 'xstate';
import {
  isAuthenticated,
  roleOf,
  type AuthEmitted,
  type AuthEvent,
  type authMachine,
} from '../machines/auth.ts';
import type { ProjectsEvent, projectsMachine } from '../machines/projects.ts';
import { forms, type Driver, type FormName, type Observation, type Route } from './driver.ts';
import { isProjectsScreenOpen, type AuthMove, type ProjectsMove } from './moves.ts';
import type { Call } from './calls.ts';
import type { StatesOf, Step } from './paths.ts';

/** The part of an observation that follows from a state. */
type Expected = Partial<Omit<Observation, 'calls'>>;

/** Where the user is, and the values of the form there. */
export type Location = { path: Route; values: string[] };

export type Expectations<Machine extends AnyStateMachine, Name extends string> = {
  start: Route;
  states: Record<
    StatesOf<Machine>,
    (snapshot: SnapshotFrom<Machine>, location: Location) => Expected
  >;
  locationAfter: (step: Step<Machine, Name>, location: Location) => Location;
  /** Returns what the machine exposes and no screen shows. */
  internals?: (
    snapshot: SnapshotFrom<Machine>,
  ) => Awaited<ReturnType<NonNullable<Driver['internals']>>>;
};

const emptyForm = ['', ''];

const navigations: Record<AuthEmitted['type'], { from: Route; to: Route }> = {
  'user.registered': { from: '/register', to: '/login' },
  'user.loggedIn': { from: '/login', to: '/projects' },
};

const authScreens =
  (busyForm: FormName | undefined) =>
  ({ context }: SnapshotFrom<typeof authMachine>, { path, values }: Location): Expected => {
    if (path === '/projects') return { path };
    const name = (['login', 'registerUser'] as const).find((form) => forms[form].route === path);
    return {
      path,
      form: name && { button: forms[name].button, busy: busyForm === name, values },
      banner: name === 'login' ? context.loginErrorMessage : undefined,
    };
  };

export const authExpectations: Expectations<typeof authMachine, AuthMove> = {
  start: '/',
  states: {
    unauthenticated: authScreens(undefined),
    loggingIn: authScreens('login'),
    registering: authScreens('registerUser'),
    authenticated: authScreens(undefined),
  },
  locationAfter({ event, emitted, inspection }, location) {
    if (inspection.transitions.length === 0) return location;
    if ('credentials' in event) {
      const { type, credentials } = event as AuthEvent;
      return { path: forms[type].route, values: Object.values(credentials) };
    }
    const navigation = emitted
      .map(({ type }) => navigations[type as AuthEmitted['type']])
      .find(({ from }) => from === location.path);
    return navigation ? { path: navigation.to, values: emptyForm } : location;
  },
  internals: (snapshot) => ({ authenticated: isAuthenticated(snapshot), role: roleOf(snapshot) }),
};

type Projects = SnapshotFrom<typeof projectsMachine>;

/** The list and the form are visible only while their screen is open. */
const whileScreenOpen =
  (expected: (context: Projects['context']) => Expected) => (snapshot: Projects) =>
    isProjectsScreenOpen(snapshot) ? expected(snapshot.context) : {};

const expectedList = (busy: boolean, noteWhenEmpty: string) =>
  whileScreenOpen(({ projects }) => ({
    list: {
      busy,
      rows: projects.map(({ title, description }) => [title, description]),
      note: projects.length > 0 ? undefined : noteWhenEmpty,
    },
  }));

const expectedForm = (
  busy: boolean,
  banner: (context: Projects['context']) => string | undefined,
) =>
  whileScreenOpen((context) => ({
    form: {
      button: forms.createProject.button,
      busy,
      values: context.submitted ? Object.values(context.submitted) : emptyForm,
    },
    banner: banner(context),
  }));

const expectedOtherScreen = () => ({
  path: '/about',
  form: undefined,
  banner: undefined,
  list: undefined,
});

export const projectsExpectations: Expectations<typeof projectsMachine, ProjectsMove> = {
  start: '/about',
  states: {
    'list.idle': whileScreenOpen(() => {
      throw new Error('The screen is open, so its list must have been fetched.');
    }),
    'list.loading': expectedList(true, 'Loading projects…'),
    'list.loaded': expectedList(false, 'No projects to show.'),
    'list.failed': expectedList(false, 'No projects to show.'),
    'create.idle': expectedForm(false, () => undefined),
    'create.creating': expectedForm(true, () => undefined),
    'create.failed': expectedForm(false, ({ createErrorMessage }) => createErrorMessage),
    'subscription.active': () => ({ path: '/projects' }),
    'subscription.releasing': expectedOtherScreen,
    'subscription.cached': expectedOtherScreen,
    'subscription.inactive': expectedOtherScreen,
  },
  locationAfter: (_, location) => location,
};

/** Returns the requests of a machine's calls by the end of these steps. */
export function requestsOf<Machine extends AnyStateMachine, Name extends string>(
  steps: Step<Machine, Name>[],
): Partial<Observation['calls']> {
  const last: AnyMachineSnapshot = steps.at(-1)!.snapshot;
  const names = Object.keys(last.machine.implementations.actors) as Call[];
  return Object.fromEntries(
    names.map((call) => {
      const events = steps.flatMap(({ inspection, event }) =>
        inspection.invoked.filter((name) => name === call).map(() => event),
      );
      return [
        call,
        {
          made: events.length,
          pending: last.children[call] ? 1 : 0,
          sent: bodyOf(events.at(-1) as AuthEvent | ProjectsEvent | undefined),
        },
      ];
    }),
  );
}

function bodyOf(event: AuthEvent | ProjectsEvent | undefined): unknown {
  if (event && 'credentials' in event) return event.credentials;
  return event && 'project' in event ? event.project : undefined;
}
