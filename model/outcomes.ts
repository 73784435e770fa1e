import type { AnyEventObject } from 'xstate';
import type { authMachine } from '../machines/auth.ts';
import type { projectsMachine } from '../machines/projects.ts';
import type { ActorsOf } from './paths.ts';

/** The calls, as the machines name them. */
export type Call = ActorsOf<typeof authMachine> | ActorsOf<typeof projectsMachine>;

/**
 * The ways in which every call can end: as hoped; with a success whose body nobody promised; with a refusal that says why, or
 * that does not; without any answer; by a fault of the app itself.
 */
type Ending = 'success' | 'odd' | 'refusal' | 'silence' | 'unreachable' | 'fault';

/** Beside those: a list without projects, and a created project that the list already holds. */
type Endings = {
  login: Ending;
  registerUser: Ending;
  listProjects: Ending | 'empty';
  createProject: Ending | 'known';
};

export type EndingOf<Of extends Call> = Endings[Of];
export type AnyEnding = Endings[Call];

/** What the person submits, or what a backend says, the nth time: never the same twice, so that nothing old passes for new. */
export const fixtures = {
  credentials: (n: number) => ({ email: `person-${n}@example.org`, password: `password ${n}` }),
  newProject: (n: number) => ({
    title: `Title ${n}`,
    description: `Description ${n}\nin two lines`,
  }),
  user: (n: number) => ({ role: `role ${n}` }),
  project: (n: number) => ({ id: `created-${n}`, title: `Kept ${n}`, description: `As kept ${n}` }),
  projects: (n: number) =>
    [1, 2].map((place) => ({
      id: `listed-${n}-${place}`,
      title: `Listed ${n}.${place}`,
      description: `From list ${n}`,
    })),
  refusal: (n: number) => `Refused ${n}.`,
};

/** How a call ended, as an outcome or as what was thrown. */
type Ended = { type: 'done'; output: unknown } | { type: 'error'; error: unknown };

const done = (output: unknown): Ended => ({ type: 'done', output });
const error: Ended = { type: 'error', error: new Error('a fault') };
const silence = done({ ok: false, message: 'Internal Server Error' });
const failures = {
  refusal: (n: number) => done({ ok: false, message: fixtures.refusal(n) }),
  silence: () => silence,
  unreachable: () => silence,
  fault: () => error,
};

/** What each ending is for a machine. `n` makes it different each time, `first` is the id of the first project listed. */
const endings: {
  [Of in Call]: Record<EndingOf<Of>, (n: number, first: string | number | undefined) => Ended>;
} = {
  login: {
    ...failures,
    success: () => done({ ok: true, value: undefined }),
    odd: () => done({ ok: true, value: undefined }),
  },
  registerUser: {
    ...failures,
    success: (n) => done({ ok: true, value: fixtures.user(n) }),
    odd: () => done({ ok: true, value: {} }),
  },
  listProjects: {
    ...failures,
    success: (n) => done({ ok: true, value: fixtures.projects(n) }),
    empty: () => done({ ok: true, value: [] }),
    odd: () => error,
  },
  createProject: {
    ...failures,
    success: (n) => done({ ok: true, value: fixtures.project(n) }),
    known: (n, first) => done({ ok: true, value: { ...fixtures.project(n), id: first } }),
    odd: () => error,
  },
};

export const endingsOf = <Of extends Call>(call: Of) =>
  Object.keys(endings[call]) as EndingOf<Of>[];

/** The event with which a machine learns how a call ended. */
export function endingEvent<Of extends Call>(
  call: Of,
  ending: EndingOf<Of>,
  n: number,
  first?: string | number,
) {
  const { type, ...payload } = endings[call][ending](n, first);
  return { type: `xstate.${type}.actor.${call}`, actorId: call, ...payload };
}

/** What a backend, or what stands between, does to a call. */
export type BackendResponse =
  | { status: number; body?: unknown; text?: string }
  /** No answer comes. */
  | 'none'
  /** An answer that makes the app itself fail. */
  | 'fault';

const successStatus: Record<Call, number> = {
  login: 200,
  registerUser: 201,
  listProjects: 200,
  createProject: 201,
};

const answers: Record<
  AnyEnding,
  (status: number, value: unknown, message: unknown) => BackendResponse
> = {
  success: (status, body) => ({ status, body }),
  empty: (status, body) => ({ status, body }),
  known: (status, body) => ({ status, body }),
  odd: (status) => ({ status, text: '<!doctype html><title>Welcome</title>' }),
  refusal: (_status, _value, message) => ({ status: 422, body: { message } }),
  silence: () => ({ status: 503, text: '<!doctype html><title>Unavailable</title>' }),
  unreachable: () => 'none',
  fault: () => 'fault',
};

/** The answer that makes a call end as `event` says. */
export function answerFor(call: Call, ending: AnyEnding, event: AnyEventObject): BackendResponse {
  const output = event['output'] as { value?: unknown; message?: unknown } | undefined;
  return answers[ending](successStatus[call], output?.value ?? {}, output?.message);
}

/** The same for a call that was given up, with what has not been told before. */
export function lateAnswer(call: Call, ending: AnyEnding): BackendResponse {
  return answerFor(call, ending, endingEvent(call, ending as never, LATE));
}

const LATE = 1_000;
