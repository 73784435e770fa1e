import { textNames } from '../../http/project-texts.ts';
import { parseJson } from '../../http/response.ts';
import type { OperationId } from '../../../generated/operations.ts';
import { findCall } from '../../../model/requests.ts';
import {
  applyChange,
  requestCookie,
  jsonResponse,
  withHeaders,
  type StoredAccount,
  type Backend,
  type Change,
  type JsonObject,
} from './backend.ts';
import type { BackendRequest, BackendResponse, Respond } from './stub-server.ts';
import { untilQuiet } from './test-clock.ts';

/** A falsy value keeps the original. */
type Changed<Value> = Value | false | undefined | void;

type ChangeResponse = (
  response: BackendResponse,
  request: BackendRequest,
  backend: Backend,
) => Changed<BackendResponse>;

/**
 * Makes two processes, which know what sessions they have created. By default each connection
 * belongs to one of them.
 */
export const inTwoProcesses =
  (
    changeOf: (backend: Backend, isOwn: IsOwn) => Change,
    processOf = ({ connection }: BackendRequest) => connection % 2,
  ): Change =>
  (backend) => {
    const processes = new Map<string, number>();
    return all(
      after('createSession', (session, _account, _old, request) => {
        processes.set(session, processOf(request));
      }),
      changeOf(backend, (session, request) => processes.get(session) === processOf(request)),
    );
  };

type IsOwn = (session: string, request: BackendRequest) => boolean;

/** Creates ids by their number, from 0. */
export const ids =
  (idOf: (count: number) => string | number): Change =>
  () => {
    let count = 0;
    return { createId: () => idOf(count++) };
  };

/** Responds in place of a backend, whose own responses `next` returns. */
export const respond =
  (change: (request: BackendRequest, next: Respond) => ReturnType<Respond>): Change =>
  ({ respond: next }) => ({ respond: (request) => change(request, next) });

/** Changes requests, or responds to them in place of the backend. */
export const requests = (
  change: (request: BackendRequest) => Changed<BackendRequest | BackendResponse>,
): Change =>
  respond((request, next) => {
    const changed = change(request) || request;
    return 'status' in changed ? changed : next(changed);
  });

export const requestsTo = (
  operation: OperationId,
  change: Parameters<typeof requests>[0],
): Change => requests((request) => isOperation(request, operation) && change(request));

export const unknownRequests = (response: BackendResponse): Change =>
  requests(({ method, path }) => !findCall(method, path) && response);

export const responses =
  (change: ChangeResponse): Change =>
  (backend) =>
    respond(async (request, next) => {
      const response = await next(request);
      return change(response, request, backend) || response;
    });

/** Changes the responses of an operation that have this status. */
export const responsesTo = (
  operation: OperationId,
  status: number,
  change: ChangeResponse,
): Change =>
  responses(
    (response, request, backend) =>
      isOperation(request, operation) &&
      response.status === status &&
      change(response, request, backend),
  );

export const refusals = (
  change: (response: BackendResponse, message: string) => BackendResponse,
): Change =>
  responses((response) => {
    const { message } = jsonOf(response) as { message?: string };
    return response.status >= 400 && change(response, message ?? 'Refused.');
  });

/** Refuses requests of an operation. `isRefused` gets the body as it was sent. */
export const refuse = (
  operation: OperationId,
  status: number,
  isRefused: (json: JsonObject, request: BackendRequest) => unknown,
): Change =>
  requestsTo(operation, (request) =>
    isRefused(jsonOf(request), request) ? error(status, 'The request is refused.') : undefined,
  );

type FunctionName = Exclude<keyof Backend, 'accounts' | 'projects' | 'projectsByKey' | 'sessions'>;

/** Does something before a function of the backend is called. */
export const before =
  <Name extends FunctionName>(
    name: Name,
    effect: (backend: Backend, ...args: Parameters<Backend[Name]>) => void,
  ): Change =>
  (backend) => {
    const original = backend[name] as (...args: Parameters<Backend[Name]>) => unknown;
    const changed = (...args: Parameters<Backend[Name]>) => {
      effect(backend, ...args);
      return original(...args);
    };
    return { [name]: changed };
  };

/** Changes what a function of the backend returns. A falsy value keeps it. */
export const after =
  <Name extends FunctionName>(
    name: Name,
    change: (result: Result<Name>, ...args: Parameters<Backend[Name]>) => Changed<Result<Name>>,
  ): Change =>
  (backend) => {
    const original = backend[name] as (...args: Parameters<Backend[Name]>) => Result<Name>;
    const changed = (...args: Parameters<Backend[Name]>) => {
      const result = original(...args);
      return change(result, ...args) || result;
    };
    return { [name]: changed };
  };

type Result<Name extends FunctionName> = ReturnType<Backend[Name]>;

export const storedText = (change: (text: string) => string): Change =>
  requestsTo('createProject', (request) => {
    const json = jsonOf(request);
    const texts = textNames.filter((field) => typeof json[field] === 'string');
    // The backend rejects empty text.
    const changed = texts.map((field) => [field, change(String(json[field])) || ' ']);
    return changed.length > 0 && withJson(request, { ...json, ...Object.fromEntries(changed) });
  });

/**
 * Responds to requests that arrive at once, by their place among those with the same key. Each
 * waits until nothing else arrives. A falsy value keeps the response of the backend.
 */
export const atOnce =
  (
    operation: OperationId,
    change: (place: number, request: BackendRequest, next: Respond) => Changed<ReturnType<Respond>>,
    keyOf: (request: BackendRequest) => string = () => '',
  ): Change =>
  () => {
    const counts = new Map<string, number>();
    return respond(async (request, next) => {
      if (!isOperation(request, operation)) return next(request);
      const key = keyOf(request);
      const place = (counts.get(key) ?? 0) + 1;
      counts.set(key, place);
      await untilQuiet();
      counts.delete(key);
      return change(place, request, next) || next(request);
    });
  };

/** Responds so to all sign-ins of an account after this number of wrong passwords. */
export const lockAfter =
  (limit: number, locked: BackendResponse): Change =>
  () => {
    const wrong = new Map<string, number>();
    return all(
      before('refuseLogin', (_backend, _account, { request }) => {
        wrong.set(emailOf(request), (wrong.get(emailOf(request)) ?? 0) + 1);
      }),
      requestsTo('login', (request) => (wrong.get(emailOf(request)) ?? 0) >= limit && locked),
    );
  };

/** Sets cookies with each response to a valid session that sets none. */
export const renewedCookies = (
  createCookies: (session: string, account: StoredAccount, request: BackendRequest) => string[],
): Change =>
  responses((response, request, backend) => {
    const session = sessionOf(request);
    const account = backend.findAccount(session, request);
    if (!account || response.headers['set-cookie']) return undefined;
    return withSetCookies(response, createCookies(session, account, request));
  });

export const all =
  (...changes: Change[]): Change =>
  (backend, clock) => {
    for (const each of changes) applyChange(backend, clock, each);
    return {};
  };

export const isOperation = ({ method, path }: BackendRequest, ...operations: OperationId[]) =>
  operations.some((name) => name === findCall(method, path)?.call);

/** Returns the JSON object in a body, and an empty object for any other body. */
export function jsonOf({ body }: { body: string | Buffer }): JsonObject {
  const json = parseJson(String(body));
  return typeof json === 'object' && json !== null ? (json as JsonObject) : {};
}

export function emailOf(request: BackendRequest) {
  const { email } = jsonOf(request);
  return typeof email === 'string' ? email.toLowerCase() : '';
}

export const sessionOf = (request: BackendRequest) => requestCookie(request, 'session') ?? '';

export const error = (status: number, message = 'Something went wrong.') =>
  jsonResponse(status, { message });

/** Responds with a project that is not stored. */
export const lostProject = (json: JsonObject) =>
  jsonResponse(201, { id: `lost-${Math.random()}`, ...json });

export const htmlPage = (status: number, heading: string): BackendResponse => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!DOCTYPE html><html><body><h1>${heading}</h1></body></html>`,
});

export const withJson = <Message extends BackendRequest | BackendResponse>(
  message: Message,
  json: unknown,
): Message => ({ ...message, body: JSON.stringify(json) });

export const withSetCookies = (response: BackendResponse, lines: string[]) =>
  withHeaders(response, { 'set-cookie': lines });
