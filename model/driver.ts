/**
 * The interface between a generated path and what it is executed on, and how steps are performed.
 */
import type { AnyMachineSnapshot } from 'xstate';
import type { AuthEvent } from '../machines/auth.ts';
import type { projectsMachine, ProjectsEvent } from '../machines/projects.ts';
import type { Credentials } from '../machines/types.ts';
import type { Inspection } from './inspection.ts';
import type { AuthMove, ProjectsMove } from './moves.ts';
import {
  fixtures,
  lateResponse,
  responseFor,
  type AnyOutcome,
  type BackendResponse,
  type Call,
} from './calls.ts';
import type { DelaysOf, Interference, Step } from './paths.ts';

/** The screens by path: the link in the header, the heading, and the title of the window. */
export const screens = {
  '/': { link: 'Home', heading: 'Home', title: 'Home' },
  '/about': { link: 'About', heading: 'About Page', title: 'About' },
  '/projects': { link: 'Projects', heading: 'New Project', title: 'Projects' },
  '/register': { link: 'Sign up', heading: 'Create an account', title: 'Sign up' },
  '/login': { link: 'Sign in', heading: 'Sign in', title: 'Sign in' },
} as const;

export type Route = keyof typeof screens;

/** The forms, under the operationId of the call that each makes. */
export const forms = {
  login: { route: '/login', button: 'Sign in', fields: ['Email', 'Password'] },
  registerUser: { route: '/register', button: 'Register', fields: ['Email', 'Password'] },
  createProject: {
    route: '/projects',
    button: 'Create Project',
    fields: ['Title', 'Description'],
  },
} as const satisfies Partial<Record<Call, { route: Route; button: string; fields: string[] }>>;

export type FormName = keyof typeof forms;

/** What the user and the backend can observe of the app at one moment. */
export type Observation = {
  path: string;
  form: { button: string; busy: boolean; values: string[] } | undefined;
  banner: string | undefined;
  list:
    | { busy: boolean; rows: [title: string, description: string][]; note: string | undefined }
    | undefined;
  /** Per call: requests made, requests in flight, and the body of the last one. */
  calls: Record<Call, { made: number; pending: number; sent: unknown }>;
  /** The text of the live region. */
  announced: string;
  /** The operationId of each failure that was logged, in order. */
  logged: string[];
};

/** Acts as the user, the backend and the clock of a running app. */
export type Driver = {
  /** Follows the link in the header. */
  go: (route: Route) => Promise<void>;
  /** Fills the form in view, unless `values` is undefined, and presses its button. */
  submit: (form: FormName, values: string[] | undefined) => Promise<void>;
  /** Answers the pending call. Returns the response that the app received. */
  answer: (call: Call, response: BackendResponse) => Promise<BackendResponse>;
  /** Answers an aborted call. */
  answerLate: (call: Call, response: BackendResponse) => Promise<void>;
  elapse: (milliseconds: number) => Promise<void>;
  observe: () => Promise<Observation>;
  /** Returns what the app exposes and does not show. */
  internals?: () => Promise<{ authenticated: boolean; role: string | undefined }>;
  /** Returns what the actors did since the last call of this method. */
  inspection?: () => Promise<Inspection>;
};

type UserEvent = AuthEvent | ProjectsEvent;
type UserAction<Event> = (
  driver: Driver,
  event: Event,
  before: AnyMachineSnapshot,
  visitor: Credentials,
) => Promise<void>;

/** How a user causes each event. */
const userActions: {
  [Type in UserEvent['type']]: UserAction<Extract<UserEvent, { type: Type }>>;
} = {
  login: (driver, { type, credentials }, before) => submit(driver, type, credentials, before),
  registerUser: (driver, { type, credentials }, before) =>
    submit(driver, type, credentials, before),
  createProject: (driver, { type, project }, before) => submit(driver, type, project, before),
  'projects.opened': (driver) => driver.go('/projects'),
  'projects.closed': (driver) => driver.go('/about'),
  async 'user.loggedIn'(driver, _event, before, visitor) {
    await driver.go('/login');
    await driver.submit('login', Object.values(visitor));
    // A user who is still on /login when the response arrives is led to /projects.
    await driver.go(before.matches({ subscription: 'active' }) ? '/projects' : '/about');
    await driver.answer('login', { status: 200, body: {} });
  },
};

/** The delays of the projects machine in milliseconds (CONST-6, CONST-8). */
export const delays: Record<DelaysOf<typeof projectsMachine>, number> = {
  subscriptionBatching: 500,
  keepUnusedData: 60_000,
};

type AnyStep = {
  move: AuthMove | ProjectsMove | Interference | 'start';
  event: Step<never, never>['event'];
  before: AnyMachineSnapshot;
};

/**
 * Performs a step as the user, the backend or the clock. Of a delay, only the last millisecond is
 * left to elapse. `visitor` signs in for `user.loggedIn`.
 *
 * Returns the same action for another driver, with the responses that the first one really got.
 */
export async function perform(
  driver: Driver,
  { move, event, before }: AnyStep,
  visitor: Credentials = fixtures.credentials(0),
): Promise<(other: Driver) => Promise<unknown>> {
  const [, late, subject = '', outcome = ''] = /^(late )?(\w+)(?:: | )(\w+)$/.exec(move) ?? [];
  const call = subject as Call;
  let action: (on: Driver) => Promise<unknown>;
  if (move in userActions) {
    action = (on) => userActions[move as UserEvent['type']](on, event as never, before, visitor);
  } else if (subject in delays || subject === 'elapse') {
    action = (on) => on.elapse(outcome === 'over' ? 1 : Number(outcome));
  } else if (late) {
    action = (on) => on.answerLate(call, lateResponse(call, outcome as AnyOutcome));
  } else {
    const response = await driver.answer(call, responseFor(call, outcome as AnyOutcome, event));
    return (other) => other.answer(call, response);
  }
  await action(driver);
  return action;
}

/** Submits a form. A form whose call is pending is only submitted again as it is. */
async function submit(driver: Driver, form: FormName, values: object, before: AnyMachineSnapshot) {
  const { children }: AnyMachineSnapshot = before;
  if (children[form]) return driver.submit(form, undefined);
  await driver.go(forms[form].route);
  await driver.submit(form, Object.values(values));
}
