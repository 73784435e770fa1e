import type { AnyEventObject } from 'xstate';
import type { AuthEvent } from '../machines/auth.ts';
import type { projectsMachine, ProjectsEvent } from '../machines/projects.ts';
import type { Credentials } from '../machines/types.ts';
import type { Interference, DelaysOf } from './paths.ts';
import type { Inspection } from './inspection.ts';
import {
  answerFor,
  lateAnswer,
  fixtures,
  type BackendResponse,
  type AnyEnding,
  type Call,
} from './outcomes.ts';
import type { AuthMove, ProjectsMove, InternalEvent } from './moves.ts';

/** The screens by path: the link in the header, the heading, and the title of the window. */
export const screens = {
  '/': { link: 'Home', heading: 'Home', title: 'Home' },
  '/about': { link: 'About', heading: 'About Page', title: 'About' },
  '/projects': { link: 'Projects', heading: 'New Project', title: 'Projects' },
  '/register': { link: 'Sign up', heading: 'Create an account', title: 'Sign up' },
  '/login': { link: 'Sign in', heading: 'Sign in', title: 'Sign in' },
} as const;

export type Route = keyof typeof screens;

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

/** What can be seen of the app at one moment: on the screen, and by the backend. */
export type Observation = {
  path: string;
  form: { button: string; busy: boolean; values: string[] } | undefined;
  banner: string | undefined;
  list:
    | { busy: boolean; rows: [title: string, description: string][]; note: string | undefined }
    | undefined;
  /** How many of each call have arrived, how many of them still wait for an answer, and what the last one said. */
  calls: Record<Call, { made: number; pending: number; sent: unknown }>;
  /** What is said to screen readers. */
  announced: string;
  /** Names of calls, as often as the console was told of a failure of theirs. */
  logged: string[];
};

/** A person at a running app, the backend behind it, and the clock. */
export type Driver = {
  /** By the link in the header. */
  go: (route: Route) => Promise<void>;
  /** Fills the form in view, or leaves it as it is, and presses its button. */
  submit: (form: FormName, values: string[] | undefined) => Promise<void>;
  /** Answers the pending call, and gives what it was really told. */
  answer: (call: Call, answer: BackendResponse) => Promise<BackendResponse>;
  /** Answers a call that was given up. */
  answerLate: (call: Call, answer: BackendResponse) => Promise<void>;
  elapse: (milliseconds: number) => Promise<void>;
  observe: () => Promise<Observation>;
  /** What the app exposes and does not show. */
  internals?: () => Promise<{ authenticated: boolean; role: string | undefined }>;
  /** What the actors did since this was last asked. */
  inspection?: () => Promise<Inspection>;
};

type Perform<Event> = (
  hands: Driver,
  event: Event,
  pending: boolean,
  visitor: Credentials,
) => Promise<void>;
type Asked = AuthEvent | Exclude<ProjectsEvent, { type: InternalEvent }>;

/** How a person makes each event happen. A form whose call is pending is only pressed again. */
const userActions: { [Type in Asked['type']]: Perform<Extract<Asked, { type: Type }>> } = {
  login: (hands, { credentials }, pending) => submitted(hands, 'login', credentials, pending),
  registerUser: (hands, { credentials }, pending) =>
    submitted(hands, 'registerUser', credentials, pending),
  createProject: (hands, { project }, pending) =>
    submitted(hands, 'createProject', project, pending),
  'projects.opened': (hands) => hands.go('/projects'),
  'projects.closed': (hands) => hands.go('/about'),
  async 'projects.dropped'(hands, _event, _pending, visitor) {
    await hands.go('/login');
    await hands.submit('login', Object.values(visitor));
    // Whoever still is on /login when signing in has succeeded is taken to the projects, which opens them.
    await hands.go('/about');
    await hands.answer('login', { status: 200, body: {} });
  },
};

export const delays: Record<DelaysOf<typeof projectsMachine>, number> = {
  batching: 500,
  keeping: 60_000,
};

/**
 * Makes a move happen as a person, a backend or the clock would. `pending`: the same form's call is not answered yet. Gives the
 * same move for others to repeat: answers in it are as they really were. Of a delay only the last millisecond is left to pass.
 * `visitor` is who signs in to make the rows be dropped.
 */
export async function perform(
  hands: Driver,
  move: AuthMove | ProjectsMove | Interference,
  event: AnyEventObject,
  pending: boolean,
  visitor: Credentials = fixtures.credentials(0),
): Promise<(others: Driver) => Promise<unknown>> {
  const [, late, subject = '', ending = ''] = /^(late )?(\w+)(?:: | )(\w+)$/.exec(move) ?? [];
  const call = subject as Call;
  let act: (on: Driver) => Promise<unknown>;
  if (move in userActions) {
    act = (on) => userActions[move as Asked['type']](on, event as never, pending, visitor);
  } else if (subject in delays || subject === 'elapse') {
    act = (on) => on.elapse(ending === 'over' ? 1 : Number(ending));
  } else if (late) {
    act = (on) => on.answerLate(call, lateAnswer(call, ending as AnyEnding));
  } else {
    const answer = await hands.answer(call, answerFor(call, ending as AnyEnding, event));
    return (others) => others.answer(call, answer);
  }
  await act(hands);
  return act;
}

async function submitted(hands: Driver, form: FormName, values: object, pending: boolean) {
  if (pending) return hands.submit(form, undefined);
  await hands.go(forms[form].route);
  await hands.submit(form, Object.values(values));
}
