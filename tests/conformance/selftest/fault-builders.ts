import { parseJson } from '../../../conformance/http/response.ts';
import type { Operation } from '../../../conformance/http/simulated-browser.ts';
import { findCall } from '../../../model/calls.ts';
import type { HeaderMap, Middleware, ProxyRequest, ProxyResponse } from './fault-proxy.ts';
import { untilQuiet, type TestClock } from './test-clock.ts';

/** One defect of a backend: the reference server behind a middleware. */
export type Fault = {
  name: string;
  /** The checks that must fail. The report must begin with the first one. */
  failingChecks: string[];
  /** Called once per run, so that runs do not share state. The clock is that of the kit. */
  createMiddleware: (clock: TestClock) => Middleware;
};

/** Values by the name of the fault, with the checks that must fail in brackets. */
export type FaultTable<Value = Fault['createMiddleware']> = Record<string, Value>;

/** Splits the keys of a table into the name of the fault and its checks. */
export const faultRows = <Value>(table: FaultTable<Value>) =>
  Object.entries(table).map(([title, value]) => {
    const [, name = title, checks = ''] = /^(.*) \[(.*)\]$/.exec(title) ?? [];
    return { name, failingChecks: checks.split(', '), value };
  });

export const faultsOf = (tables: FaultTable[]): Fault[] =>
  tables.flatMap(faultRows).map(({ value, ...fault }) => ({ ...fault, createMiddleware: value }));

/** Creates faults with the same builder, one for each argument. */
export const createFaults = <Argument>(
  build: (argument: Argument) => Middleware,
  table: FaultTable<Argument>,
): FaultTable =>
  Object.fromEntries(
    Object.entries(table).map(([title, argument]) => [title, () => build(argument)]),
  );

export type Project = { id: string | number; title: string; description: string };
export type JsonObject = Record<string, unknown>;

export const isOperation = ({ method, path }: ProxyRequest, ...operations: Operation[]) =>
  operations.some((name) => name === findCall(method, path)?.call);

export const isProjectOperation = (request: ProxyRequest) =>
  isOperation(request, 'listProjects', 'createProject');

/** A falsy value keeps the original. */
type Changed<Value> = Value | false | undefined | void;

/** Forwards the changed request, or sends a response in place of the backend. */
export const interceptRequests =
  (change: (request: ProxyRequest) => Changed<ProxyRequest | ProxyResponse>): Middleware =>
  (request, next) => {
    const changed = change(request) || request;
    return 'status' in changed ? changed : next(changed);
  };

export const interceptResponses =
  (
    change: (response: ProxyResponse, request: ProxyRequest) => Changed<ProxyResponse>,
  ): Middleware =>
  async (request, next) => {
    const response = await next(request);
    return change(response, request) || response;
  };

/**
 * Responds to the second of two concurrent requests with the same key. The first request waits for
 * the second until nothing else is in flight.
 */
export const respondToConcurrent = (
  operation: Operation,
  respond: (request: ProxyRequest) => ProxyResponse,
  keyOf: (request: ProxyRequest) => string = () => '',
): Middleware => {
  const firstRequests = new Set<string>();
  let inFlight = 0;
  return async (request, next) => {
    const forward = async () => {
      inFlight += 1;
      try {
        return await next(request);
      } finally {
        inFlight -= 1;
      }
    };
    if (!isOperation(request, operation)) return forward();
    const key = keyOf(request);
    if (firstRequests.delete(key)) return respond(request);
    firstRequests.add(key);
    await untilQuiet(() => inFlight === 0 || !firstRequests.has(key));
    firstRequests.delete(key);
    return forward();
  };
};

/** Changes text fields of request bodies. */
export const changeFields = (
  operations: Operation[],
  fields: string[],
  change: (text: string, field: string) => string,
) =>
  interceptRequests(
    (request) => isOperation(request, ...operations) && withFields(request, fields, change),
  );

export function withFields(
  request: ProxyRequest,
  fields: string[],
  change: (text: string, field: string) => string,
): ProxyRequest {
  const body = jsonObjectOf(request);
  const texts = fields.filter((field) => typeof body[field] === 'string');
  if (texts.length === 0) return request;
  const changed = texts.map((field) => [field, change(String(body[field]), field)]);
  return { ...request, body: JSON.stringify({ ...body, ...Object.fromEntries(changed) }) };
}

/** Changes the title and the description of a project before the backend stores them. */
export const changeProjectText = (change: (text: string, field: string) => string) =>
  changeFields(
    ['createProject'],
    ['title', 'description'],
    // The backend rejects empty text.
    (text, field) => change(text, field) || ' ',
  );

export const emailOf = (request: ProxyRequest) => {
  const { email } = jsonObjectOf(request);
  return typeof email === 'string' ? email.toLowerCase() : '';
};

/** Changes the responses of an operation that have this status. */
export const changeResponses = (
  operation: Operation,
  status: number,
  change: Parameters<typeof interceptResponses>[0],
): Middleware =>
  interceptResponses(
    (response, request) =>
      isOperation(request, operation) && response.status === status && change(response, request),
  );

type Change = Parameters<typeof changeResponses>[2];

export const changeListResponse = (change: Change) => changeResponses('listProjects', 200, change);

export const changeCreateResponse = (change: Change) =>
  changeResponses('createProject', 201, change);

export const changeRegisterResponse = (change: Change) =>
  changeResponses('registerUser', 201, change);

export const changeExistingEmailResponse = (change: Change) =>
  changeResponses('registerUser', 409, change);

export const changeWrongPasswordResponse = (change: Change) =>
  changeResponses('login', 401, change);

export const changeErrorResponses = (
  change: (response: ProxyResponse, message: string) => ProxyResponse,
): Middleware =>
  interceptResponses((response) => {
    const { message = 'Rejected.' } = jsonObjectOf(response) as { message?: string };
    return response.status >= 400 && change(response, message);
  });

export const changeList = (change: (projects: Project[]) => unknown) =>
  changeListResponse((response) => withJson(response, change(projectsOf(response))));

export const changeEmptyList = (change: (response: ProxyResponse) => ProxyResponse) =>
  changeListResponse((response) => String(response.body) === '[]' && change(response));

export const changeCreatedProject = (change: (project: Project) => unknown) =>
  changeCreateResponse((response) => withJson(response, change(jsonObjectOf(response) as Project)));

/** Changes each project in the list and in the response to `createProject`. */
export const changeProjects =
  (change: (project: Project) => unknown): Middleware =>
  (request, next) =>
    isOperation(request, 'listProjects')
      ? changeList((projects) => projects.map(change))(request, next)
      : changeCreatedProject(change)(request, next);

export const projectsOf = ({ body }: ProxyResponse) => JSON.parse(String(body)) as Project[];

/** Returns the JSON object in a body, and an empty object for any other body. */
export function jsonObjectOf({ body }: { body: string | Buffer }): JsonObject {
  const json = parseJson(String(body));
  return typeof json === 'object' && json !== null ? (json as JsonObject) : {};
}

export const jsonResponse = (status: number, body: unknown): ProxyResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

export const errorResponse = (status: number, message: string) => jsonResponse(status, { message });

/** Replaces the body of a response with JSON. */
export const withJson = (response: ProxyResponse, body: unknown, status = response.status) => ({
  ...jsonResponse(status, body),
  headers: { ...response.headers, 'content-type': 'application/json' },
});

export const withBody = (response: ProxyResponse, body: string | Buffer) => ({ ...response, body });

export const htmlPage = (status: number, heading: string): ProxyResponse => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!DOCTYPE html><html><body><h1>${heading}</h1></body></html>`,
});

export const withHeaders = <Message extends { headers: HeaderMap }>(
  message: Message,
  headers: HeaderMap,
): Message => ({ ...message, headers: { ...message.headers, ...headers } });

export const cookieOf = ({ headers }: ProxyRequest, name: string) =>
  new RegExp(`(?:^|; )${name}=([^;]*)`).exec(String(headers['cookie'] ?? ''))?.[1];

export const sessionOf = (request: ProxyRequest) => cookieOf(request, 'session') ?? '';

export const hasSession = (request: ProxyRequest) => sessionOf(request) !== '';

/** Returns the Set-Cookie lines of a response. */
export const setCookiesOf = ({ headers }: ProxyResponse): string[] =>
  [headers['set-cookie'] ?? []].flat();

export const withSetCookies = (response: ProxyResponse, lines: string[]) =>
  withHeaders(response, { 'set-cookie': lines });

/** Returns the value to which a response sets a cookie. */
export const newCookieOf = (response: ProxyResponse, name: string) =>
  setCookiesOf(response)
    .map((line) => new RegExp(`^${name}=([^;]*)`).exec(line)?.[1])
    .find(Boolean);

/** Changes each Set-Cookie line, and removes it for `undefined`. */
export const changeSetCookies = (change: (line: string) => string | undefined): Middleware =>
  interceptResponses((response) => {
    const lines = setCookiesOf(response);
    const changed = lines.map(change).filter((line) => line !== undefined);
    return lines.length > 0 && withSetCookies(response, changed);
  });
