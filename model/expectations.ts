/** What the machines expect on the screen: per state, and per step the location of the user. */
import type { AnyMachineSnapshot, AnyStateMachine, SnapshotFrom } from 'xstate';
import { isAuthenticated, roleOf, type AuthEmitted, authMachine } from '../machines/auth.ts';
import type { projectsMachine } from '../machines/projects.ts';
import { bannersOn, formNames, forms, sentBy, type Call } from './calls.ts';
import type { Driver, Observation } from './driver.ts';
import { isProjectsScreenOpen, type AuthMove, type ProjectsMove } from './moves.ts';
import type { StatesOf, Step } from './paths.ts';
import type { Route } from './screens.ts';

/** The part of an observation that follows from a state. */
type Expected = Partial<Omit<Observation, 'calls'>>;

/** Where the user is, and the values of the form there. */
export type Location = { path: Route; values: string[] };

export type Expectations<Machine extends AnyStateMachine, Name extends string> = {
  start: Route;
  /** A state without an entry shows nothing of its own. */
  states: {
    [State in StatesOf<Machine>]?: (
      snapshot: SnapshotFrom<Machine>,
      location: Location,
    ) => Expected;
  };
  locationAfter: (step: Step<Machine, Name>, location: Location) => Location;
  /** Returns what the machine exposes and no screen shows. */
  internals?: (
    snapshot: SnapshotFrom<Machine>,
  ) => Awaited<ReturnType<NonNullable<Driver['internals']>>>;
};

const emptyForm = ['', ''];

const navigations: { [Type in AuthEmitted['type']]?: { from: Route; to: Route } } = {
  'user.registered': { from: '/register', to: '/login' },
  'user.loggedIn': { from: '/login', to: '/projects' },
};

/** A form is busy while its call is pending. */
const authScreen = (
  { context, children }: AnyMachineSnapshot,
  { path, values }: Location,
): Expected => {
  if (path === '/projects') return { path };
  const name = formNames.find((form) => forms[form].route === path);
  return {
    path,
    form: name && { button: forms[name].button, busy: children[name] !== undefined, values },
    banners: bannersOn(path, () => context),
  };
};

export const authExpectations: Expectations<typeof authMachine, AuthMove> = {
  start: '/',
  states: Object.fromEntries(Object.keys(authMachine.states).map((state) => [state, authScreen])),
  locationAfter({ event, emitted, inspection }, location) {
    if (inspection.transitions.length === 0) return location;
    const form = formNames.find((name) => name === event.type);
    if (form) return { path: forms[form].route, values: Object.values(sentBy(form, event)!) };
    const navigation = emitted
      .map(({ type }) => navigations[type as AuthEmitted['type']])
      .find((found) => found?.from === location.path);
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

const expectedForm = (busy: boolean) =>
  whileScreenOpen((context) => ({
    form: {
      button: forms.createProject.button,
      busy,
      values: context.submitted ? Object.values(context.submitted) : emptyForm,
    },
  }));

const expectedOtherScreen = () => ({
  path: '/about',
  form: undefined,
  banners: { form: undefined, list: undefined },
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
    'create.idle': expectedForm(false),
    'create.creating': expectedForm(true),
    'create.failed': expectedForm(false),
    'subscription.active': ({ context }) => ({
      path: '/projects',
      banners: bannersOn('/projects', () => context),
    }),
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
          sent: events.length > 0 ? sentBy(call, events.at(-1)!) : undefined,
        },
      ];
    }),
  );
}
