/** The ways in which a call can end, as a machine learns of them and as a backend makes them. */
import type { AnyEventObject } from 'xstate';
import contract from '../generated/contract.json' with { type: 'json' };
import type { authMachine } from '../machines/auth.ts';
import type { projectsMachine } from '../machines/projects.ts';
import type { ActorsOf } from './paths.ts';

/** The operationIds that the machines invoke. */
export type Call = ActorsOf<typeof authMachine> | ActorsOf<typeof projectsMachine>;

/** Method and path of each call, like `POST /api/v1/projects`, from the contract. */
export const endpoints = Object.fromEntries(
  Object.entries(contract.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [
      operationId,
      `${method.toUpperCase()} ${path}`,
    ]),
  ),
) as Record<Call, string>;

export const callNames = Object.keys(endpoints) as Call[];

/** Returns the call that a request makes. Throws when the contract has none. */
export function callOf(method: string, url: string): Call {
  const endpoint = `${method} ${new URL(url).pathname}`;
  const call = callNames.find((name) => endpoints[name] === endpoint);
  if (!call) throw new Error(`The contract has no ${endpoint}.`);
  return call;
}

/**
 * - `success`: as promised. `malformed`: a 2xx response whose body the contract does not allow.
 * - `refusal`: an error with a message. `errorWithoutMessage`: an error without one.
 * - `unreachable`: no response. `fault`: an exception in the app.
 */
type Outcome =
  | 'success'
  | 'malformed'
  | 'refusal'
  | 'errorWithoutMessage'
  | 'unreachable'
  | 'fault';

/** `empty`: a list without projects. `duplicate`: a created project whose id the list has. */
type Outcomes = {
  login: Outcome;
  registerUser: Outcome;
  listProjects: Outcome | 'empty';
  createProject: Outcome | 'duplicate';
};

export type OutcomeOf<Of extends Call> = Outcomes[Of];
export type AnyOutcome = Outcomes[Call];

/** What the user submits and the backend answers in step `n`: no two steps share a value. */
export const fixtures = {
  credentials: (n: number) => ({ email: `person-${n}@example.org`, password: `password ${n}` }),
  newProject: (n: number) => ({
    title: `Title ${n}`,
    description: `Description ${n}\nin two lines`,
  }),
  user: (n: number) => ({ role: `role ${n}` }),
  project: (n: number) => ({ id: `created-${n}`, title: `Kept ${n}`, description: `As kept ${n}` }),
  projects: (n: number) =>
    [1, 2].map((position) => ({
      id: `listed-${n}-${position}`,
      title: `Listed ${n}.${position}`,
      description: `From list ${n}`,
    })),
  refusal: (n: number) => `Refused ${n}.`,
};

type ActorResult = { type: 'done'; output: unknown } | { type: 'error'; error: unknown };

const done = (output: unknown): ActorResult => ({ type: 'done', output });
const error: ActorResult = { type: 'error', error: new Error('a fault') };
const internalServerError = done({ ok: false, message: 'Internal Server Error' });
const failures = {
  refusal: (n: number) => done({ ok: false, message: fixtures.refusal(n) }),
  errorWithoutMessage: () => internalServerError,
  unreachable: () => internalServerError,
  fault: () => error,
};

/** How an actor ends in step `n`. `firstId` is the id of the first project in the list. */
const outcomes: {
  [Of in Call]: Record<
    OutcomeOf<Of>,
    (n: number, firstId: string | number | undefined) => ActorResult
  >;
} = {
  login: {
    ...failures,
    success: () => done({ ok: true, value: undefined }),
    malformed: () => done({ ok: true, value: undefined }),
  },
  registerUser: {
    ...failures,
    success: (n) => done({ ok: true, value: fixtures.user(n) }),
    malformed: () => done({ ok: true, value: {} }),
  },
  listProjects: {
    ...failures,
    success: (n) => done({ ok: true, value: fixtures.projects(n) }),
    empty: () => done({ ok: true, value: [] }),
    malformed: () => error,
  },
  createProject: {
    ...failures,
    success: (n) => done({ ok: true, value: fixtures.project(n) }),
    duplicate: (n, id) => done({ ok: true, value: { ...fixtures.project(n), id } }),
    malformed: () => error,
  },
};

export const outcomesOf = <Of extends Call>(call: Of) =>
  Object.keys(outcomes[call]) as OutcomeOf<Of>[];

/** Returns the event that a machine receives when a call ends. */
export function outcomeEvent<Of extends Call>(
  call: Of,
  outcome: OutcomeOf<Of>,
  n: number,
  firstId?: string | number,
) {
  const { type, ...payload } = outcomes[call][outcome](n, firstId);
  return { type: `xstate.${type}.actor.${call}`, actorId: call, ...payload };
}

/**
 * What a call gets: a response, a lost connection (`none`), or an exception in the app (`fault`).
 */
export type BackendResponse = { status: number; body?: unknown; text?: string } | 'none' | 'fault';

const successStatus: Record<Call, number> = {
  login: 200,
  registerUser: 201,
  listProjects: 200,
  createProject: 201,
};

const responses: Record<
  AnyOutcome,
  (status: number, value: unknown, message: unknown) => BackendResponse
> = {
  success: (status, body) => ({ status, body }),
  empty: (status, body) => ({ status, body }),
  duplicate: (status, body) => ({ status, body }),
  malformed: (status) => ({ status, text: '<!doctype html><title>Welcome</title>' }),
  refusal: (_status, _value, message) => ({ status: 422, body: { message } }),
  errorWithoutMessage: () => ({ status: 503, text: '<!doctype html><title>Unavailable</title>' }),
  unreachable: () => 'none',
  fault: () => 'fault',
};

/** Returns the response that makes a call end as `event` says. */
export function responseFor(
  call: Call,
  outcome: AnyOutcome,
  event: AnyEventObject,
): BackendResponse {
  const output = event['output'] as { value?: unknown; message?: unknown } | undefined;
  return responses[outcome](successStatus[call], output?.value ?? {}, output?.message);
}

/** Returns a response for an aborted call, with values that no step of a path has. */
export function lateResponse(call: Call, outcome: AnyOutcome): BackendResponse {
  return responseFor(call, outcome, outcomeEvent(call, outcome as never, 1_000_000));
}
