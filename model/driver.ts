/**
 * The interface between a generated path and what it is executed on, and how steps are performed.
 */
import { isDeepStrictEqual } from 'node:util';
import type { AnyEventObject, AnyMachineSnapshot } from 'xstate';
import type { AuthEvent } from '../machines/auth.ts';
import type { projectsMachine, ProjectsEvent } from '../machines/projects.ts';
import type { Project } from '../machines/types.ts';
import type { Inspection } from './inspection.ts';
import type { AuthMove, ProjectsMove } from './moves.ts';
import {
  callNames,
  type bannersOn,
  fixtures,
  definitionOf,
  sentBy,
  type AnyOutcome,
  type Call,
  type FormName,
} from './calls.ts';
import { lateResponse, responseFor, type BackendResponse } from './outcomes.ts';
import type { DelaysOf, Interference, Step } from './paths.ts';
import type { Route } from './screens.ts';

/** What the user and the backend can observe of the app at one moment. */
export type Observation = {
  path: string;
  form: { button: string; busy: boolean; values: string[] } | undefined;
  /** The red banners, by what each is above. */
  banners: ReturnType<typeof bannersOn>;
  list:
    | { busy: boolean; rows: [title: string, description: string][]; note: string | undefined }
    | undefined;
  /** Per call: requests made, requests in flight, and what the last one sent. */
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
  /** Activates a button that submits no form: that of the row with this index, if any. */
  activate: (button: string, row?: number) => Promise<void>;
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

type OtherEvent = Exclude<AuthEvent | ProjectsEvent, { type: Call }>;

/** Returns the password of an account. */
export type PasswordOf = (email: string) => string;

/** How a user causes the events that make no call. */
const userActions: {
  [Type in OtherEvent['type']]: (
    driver: Driver,
    event: Extract<OtherEvent, { type: Type }>,
    before: AnyMachineSnapshot,
    passwordOf: PasswordOf,
  ) => Promise<void>;
} = {
  'projects.opened': (driver) => driver.go('/projects'),
  'projects.closed': (driver) => driver.go('/about'),
  async 'user.changed'(driver, { email }, before, passwordOf) {
    await driver.go('/login');
    await driver.submit('login', [email, passwordOf(email)]);
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
 * left to elapse.
 *
 * Returns the same action for another driver, with the responses that the first one really got.
 */
export async function perform(
  driver: Driver,
  { move, event, before }: AnyStep,
  passwordOf: PasswordOf = () => fixtures.credentials(0).password,
): Promise<(other: Driver) => Promise<unknown>> {
  const [, late, subject = '', outcome = ''] = /^(late )?(\w+)(?:: | )(\w+)$/.exec(move) ?? [];
  const call = subject as Call;
  let action: (on: Driver) => Promise<unknown>;
  if (event.type in userActions) {
    const act = userActions[event.type as OtherEvent['type']];
    action = (on) => act(on, event as never, before, passwordOf);
  } else if (callNames.includes(event.type as Call)) {
    action = (on) => makeCall(on, event.type as Call, event, before);
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

/**
 * Submits the form of a call or activates its control. A form whose call is pending is only
 * submitted again as it is.
 */
async function makeCall(
  driver: Driver,
  call: Call,
  event: AnyEventObject,
  { children, context }: AnyMachineSnapshot,
) {
  const { form, control, input } = definitionOf(call);
  const sent = sentBy(call, event);
  if (form && children[call]) return driver.submit(call as FormName, undefined);
  if (form) {
    await driver.go(form.route);
    return driver.submit(call as FormName, Object.values(sent!));
  }
  if (control?.place !== 'row') return driver.activate(control!.button);
  const rows = (context as { projects: Project[] }).projects;
  const row = rows.findIndex((project) => isDeepStrictEqual(input?.(0, [project]), sent));
  return driver.activate(control.button, row);
}
