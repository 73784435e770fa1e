import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { parseJson } from '../../../conformance/http/response.ts';
import type { Operation } from '../../../conformance/http/simulated-browser.ts';
import { findCall, operationOf } from '../../../model/calls.ts';
import type { RunningServer } from '../../support/reference-server.ts';
import { cookieOf, jsonResponse, withHeaders, type JsonObject } from './fault-builders.ts';
import {
  base64Sessions,
  continuedSessions,
  jwtSessions,
  quotedSessions,
  rollingSessions,
  rotatingSessions,
  signedSessions,
  storedSessions,
} from './session-schemes.ts';
import { TestClock } from './test-clock.ts';
import {
  startStubServer,
  type HeaderMap,
  type ProxyRequest,
  type ProxyResponse,
} from './fault-proxy.ts';

type VariantOptions = {
  sharedList?: boolean;
  publicList?: boolean;
  /** Signed-out users may create projects, and login sets no cookie. */
  needsNoSession?: boolean;
  numericIds?: boolean;
  /** In place of 201. */
  createdStatus?: number;
  /** In place of every 4xx status, except 429. */
  errorStatus?: number;
  loginStatus?: number;
  loginBody?: string;
  registerBody?: string;
  /** Error bodies are problem documents (RFC 9457) that also have a `message`. */
  problemDocuments?: boolean;
  extraFields?: boolean;
  withoutValidation?: boolean;
  /** Passwords need four kinds of characters; blank titles and long texts are rejected. */
  strictValidation?: boolean;
  /** Emails have no plus sign and 100 characters; passwords have 72 bytes of printable ASCII. */
  simpleCredentials?: boolean;
  /** The first list sets a percent-encoded XSRF token, which `createProject` then requires. */
  requiresXsrfToken?: boolean;
  registerSignsIn?: boolean;
  sessionCookie?: (session: string) => string;
  sessions?: typeof storedSessions;
  /** A session also needs a readable cookie with the email, which is not trusted. */
  splitSession?: boolean;
  /** Set-Cookie lines of each sign-in, beside that of the session. */
  otherCookies?: string[];
  /** Requires that X-XSRF-TOKEN equals the cookie, which never changes. */
  doubleSubmit?: boolean;
  /** Requires a Referer of the own origin for POST, like Django on https. */
  checksReferer?: boolean;
  /** Sends HTTP/1.0 without Content-Length, and lines that end with LF. */
  oldHttp?: boolean;
  /** Sends a version in lower case, a line without a name, and the Content-Length twice. */
  oddHeads?: boolean;
  /** Every nth sign-in or registration is answered with 429. */
  throttledAttempt?: number;
  /** Further requests of one minute are answered with 429, or with another status. */
  limitPerMinute?: {
    count: number;
    /** By default sign-ins and registrations, from one address. */
    isCounted?: (request: ProxyRequest) => boolean;
    keyOf?: (request: ProxyRequest) => string;
    status?: number;
    /** In place of `Retry-After: 60`. */
    retryAfter?: () => string | undefined;
  };
  /** Responses are chunked, and connections are not kept alive. */
  chunked?: boolean;
  caseSensitiveEmails?: boolean;
  idempotencyKeys?: boolean;
  uniqueTitles?: boolean;
  /** The only origin that CORS allows. */
  appOrigin?: string;
  /** An unknown address is answered in the format of a web framework. */
  frameworkErrors?: boolean;
};

type Account = { email: string; password: string; projects: { title: string }[] };

type HandlerContext = {
  request: ProxyRequest;
  body: JsonObject;
  session: string;
  account: Account | undefined;
};

/** Backends that meet the specification and differ from the reference server where they may. */
export const validVariants = [
  variant('projects are shared and public, ids are numbers, and login sets no cookie', {
    needsNoSession: true,
    sharedList: true,
    publicList: true,
    numericIds: true,
    createdStatus: 200,
    registerBody: '',
  }),
  variant('errors are 400 problem documents, successes are 200, and bodies have extra fields', {
    errorStatus: 400,
    createdStatus: 200,
    problemDocuments: true,
    extraFields: true,
    loginBody: '{"ok":true,"token":"abcdefgh"}',
    registerBody: '{"id":7,"passwordChangedAt":"2030-01-01T00:00:00Z","mustChangePassword":false}',
  }),
  variant('login returns 204, registering signs in, and the session cookie has the path /api/v1', {
    loginStatus: 204,
    loginBody: '',
    registerSignsIn: true,
    sessionCookie: (id) => `sid=${id}; Path=/api/v1; HttpOnly; SameSite=Strict; Max-Age=600`,
  }),
  variant('emails and passwords are restricted, and messages have no spaces', {
    simpleCredentials: true,
    registerBody: '',
  }),
  variant('validation is strict and frequent attempts are throttled', {
    strictValidation: true,
    throttledAttempt: 25,
    errorStatus: 422,
  }),
  variant('20 sign-ins a minute are allowed', { limitPerMinute: { count: 20 } }),
  variant('10 sign-ins a minute are allowed per email, and Retry-After is a date', {
    limitPerMinute: {
      count: 10,
      keyOf: ({ body }) => String(Object(parseJson(body))['email']),
      retryAfter: () => new Date(Date.now() + 60_000).toUTCString(),
    },
  }),
  variant('100 requests a minute are allowed, and 429 has no Retry-After', {
    limitPerMinute: { count: 100, isCounted: () => true, retryAfter: () => undefined },
  }),
  variant('50 requests a minute are allowed per session, then the status is 503', {
    limitPerMinute: {
      count: 50,
      isCounted: () => true,
      keyOf: (request) => cookieOf(request, 'id') ?? '',
      status: 503,
    },
  }),
  variant('sessions are JWTs that count seconds', { sessions: jwtSessions }),
  variant('session cookies are signed', { sessions: signedSessions }),
  variant('session cookies contain + / and =', { sessions: base64Sessions }),
  variant('session cookies are quoted', { sessions: quotedSessions }),
  variant('a user who signs in again keeps the session', { sessions: continuedSessions }),
  variant('every response sets another session cookie', { sessions: rotatingSessions }),
  variant('every response sets the session cookie again', { sessions: rollingSessions }),
  variant('a session needs a second cookie, which is readable', { splitSession: true }),
  variant('the XSRF token is compared with its cookie only', { doubleSubmit: true }),
  variant('signing in also sets cookies of analytics, and deletes one', {
    otherCookies: [
      'visitor=0123456789; Path=/',
      'elsewhere=0123456789; Domain=analytics.example; Path=/',
      'short=0123456789; Path=/; Max-Age=5',
      'old=deleted; Path=/; Expires=Thu, 01 Jan 1970 00:00:01 GMT; Max-Age=0',
    ],
    loginBody: '{}',
  }),
  variant('the Referer is checked', { checksReferer: true }),
  variant('responses are HTTP/1.0, and their lines end with LF', { oldHttp: true }),
  variant('heads have odd lines that browsers accept', { oldHttp: true, oddHeads: true }),
  variant('nothing is validated and projects are shared', {
    withoutValidation: true,
    sharedList: true,
    publicList: true,
    caseSensitiveEmails: true,
    numericIds: true,
  }),
  variant('the first list sets a percent-encoded XSRF token that createProject requires', {
    requiresXsrfToken: true,
    errorStatus: 403,
    idempotencyKeys: true,
  }),
  variant('connections are closed, bodies are chunked, and errors come from a web framework', {
    chunked: true,
    frameworkErrors: true,
    createdStatus: 202,
  }),
  variant('titles are unique and the app has another origin', {
    uniqueTitles: true,
    appOrigin: 'https://app.example.org',
  }),
];

function variant(name: string, options: VariantOptions) {
  const { appOrigin, limitPerMinute } = options;
  const isPatient = limitPerMinute !== undefined;
  return { name, appOrigin, isPatient, start: (clock: TestClock) => startVariant(options, clock) };
}

export function startVariant(
  options: VariantOptions,
  clock = new TestClock(),
): Promise<RunningServer> {
  const { needsNoSession, withoutValidation, strictValidation, createdStatus = 201 } = options;
  const accountsByEmail = new Map<string, Account>();
  const sessions = (options.sessions ?? storedSessions)(clock);
  const tokensBySession = new Map<string, string>();
  const allProjects: object[] = [];
  const projectsByKey = new Map<string, object>();
  let attemptCount = 0;
  const isThrottled = options.limitPerMinute && createLimiter(options.limitPerMinute, clock);

  const cookieFor = (session: string) =>
    options.sessionCookie?.(session) ?? `id=${session}; Path=/; HttpOnly; SameSite=Lax`;

  const createSession = ({ email }: Account, { request, session }: HandlerContext): HeaderMap => {
    if (needsNoSession) return {};
    const cookies = [...(options.otherCookies ?? []), cookieFor(sessions.signIn(email, session))];
    if (options.splitSession) cookies.push(`payload=${encodeURIComponent(email)}; Path=/`);
    if (options.doubleSubmit && cookieOf(request, 'XSRF-TOKEN') === undefined)
      cookies.push(`XSRF-TOKEN=${randomBytes(16).toString('hex')}; Path=/; SameSite=Lax`);
    return { 'set-cookie': cookies };
  };

  const normalizeEmail = (email: string) =>
    options.caseSensitiveEmails ? email : email.toLowerCase();

  const reject = (originalStatus: number, message: string): ProxyResponse => {
    const status = options.errorStatus ?? originalStatus;
    const problem = { type: 'about:blank', title: 'Refused', status, detail: message };
    return jsonResponse(status, { ...(options.problemDocuments && problem), message });
  };

  const handlers: Record<Operation, (context: HandlerContext) => ProxyResponse> = {
    registerUser(context) {
      const { email, password } = context.body;
      if (typeof email !== 'string' || typeof password !== 'string')
        return reject(422, 'Email and password are required.');
      if (!withoutValidation && !email.includes('@'))
        return reject(422, 'This email is not valid.');
      if (!withoutValidation && password.length < 8)
        return reject(422, 'This password is too short.');
      if (options.simpleCredentials && /\+|.{101}/.test(email)) return reject(422, '邮箱太长。');
      if (options.simpleCredentials && !/^[ -~]{8,72}$/.test(password))
        return reject(422, '密码无效。');
      const requiredCharacters = [/[a-z]/, /[A-Z]/, /\d/, /[^\w]/];
      if (strictValidation && !requiredCharacters.every((pattern) => pattern.test(password)))
        return reject(422, 'A password needs letters of both cases, a digit and a symbol.');
      if (strictValidation && password.length > 64)
        return reject(422, 'A password has at most 64 characters.');
      if (accountsByEmail.has(normalizeEmail(email))) return reject(409, 'This email is taken.');
      const account: Account = { email: normalizeEmail(email), password, projects: [] };
      accountsByEmail.set(normalizeEmail(email), account);
      return {
        status: createdStatus,
        headers: options.registerSignsIn ? createSession(account, context) : {},
        body: options.registerBody ?? '{"role":"owner"}',
      };
    },
    login(context) {
      const { email, password } = context.body;
      const account = typeof email === 'string' && accountsByEmail.get(normalizeEmail(email));
      if (!account || account.password !== password)
        return reject(401, 'Email or password is wrong.');
      return {
        status: options.loginStatus ?? 200,
        headers: createSession(account, context),
        body: options.loginBody ?? 'null',
      };
    },
    listProjects({ session, account }) {
      if (!account && !options.publicList) return reject(401, 'Please sign in.');
      const response = jsonResponse(
        200,
        options.sharedList ? allProjects : (account?.projects ?? []),
      );
      if (!options.requiresXsrfToken || tokensBySession.has(session)) return response;
      const token = `${randomBytes(8).toString('base64')}/+=`;
      tokensBySession.set(session, token);
      const cookie = `XSRF-TOKEN=${encodeURIComponent(token)}; Path=/; SameSite=Lax`;
      return withHeaders(response, { 'set-cookie': cookie });
    },
    createProject({ request, body, session, account }) {
      if (!account && !needsNoSession) return reject(401, 'Please sign in.');
      const token = request.headers['x-xsrf-token'];
      if (options.requiresXsrfToken && (!token || token !== tokensBySession.get(session)))
        return reject(403, 'Please reload the page and try again.');
      if (options.doubleSubmit && (!token || token !== cookieOf(request, 'XSRF-TOKEN')))
        return reject(403, 'Please reload the page and try again.');
      const { title, description } = body as { title: string; description: string };
      if (!withoutValidation && (typeof title !== 'string' || typeof description !== 'string'))
        return reject(422, 'Title and description are required.');
      if (strictValidation && (title.trim() === '' || description.trim() === ''))
        return reject(422, 'Title and description are required.');
      if (strictValidation && (title.length > 120 || description.length > 2000))
        return reject(422, 'This text is too long.');
      const key = `${session} ${String(request.headers['idempotency-key'])}`;
      const existing = options.idempotencyKeys && projectsByKey.get(key);
      if (existing) return jsonResponse(200, existing);
      if (options.uniqueTitles && account?.projects.some((project) => project.title === title))
        return reject(409, 'A project with this title exists.');
      const number = allProjects.length + 1;
      const project = {
        id: options.numericIds ? number : `p-${number}`,
        title,
        description,
        ...(options.extraFields && { createdAt: '2030-01-01', owner: { id: 1 }, tags: [] }),
      };
      projectsByKey.set(key, project);
      allProjects.push(project);
      account?.projects.push(project);
      return jsonResponse(createdStatus, project);
    },
  };

  return startStubServer((request) => {
    const { origin } = request.headers;
    if (!options.appOrigin || origin !== options.appOrigin) return format(respond(request));
    const corsHeaders = {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'Content-Type, Idempotency-Key',
      vary: 'Origin',
    };
    return request.method === 'OPTIONS'
      ? { status: 204, headers: corsHeaders, body: '' }
      : format(withHeaders(respond(request), corsHeaders));
  });

  function respond(request: ProxyRequest): ProxyResponse {
    const operation = findCall(request.method, request.path)?.call;
    if (!operation && options.frameworkErrors)
      return jsonResponse(404, { message: 'Not found', statusCode: 404 });
    if (!operation) return reject(404, 'There is nothing here.');
    const isAttempt = operation === 'login' || operation === 'registerUser';
    if (isAttempt && options.throttledAttempt && ++attemptCount % options.throttledAttempt === 0)
      return withHeaders(jsonResponse(429, { message: 'Please wait.' }), { 'retry-after': '0' });
    if (isThrottled?.(request)) {
      const { status = 429, retryAfter = () => '60' } = options.limitPerMinute!;
      const response = jsonResponse(status, { message: 'Please wait.' });
      return withHeaders(response, { 'retry-after': retryAfter() });
    }
    if (request.body.length > 1_000_000) return reject(413, 'This is too much.');
    const body = operationOf(operation).hasBody ? parseJson(request.body) : {};
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      return reject(400, 'This is not a JSON object.');
    const session = cookieOf(request, 'id') ?? cookieOf(request, 'sid') ?? '';
    const isIncomplete = options.splitSession && cookieOf(request, 'payload') === undefined;
    const account = isIncomplete ? undefined : accountsByEmail.get(sessions.emailOf(session) ?? '');
    const { host, referer } = request.headers;
    const isForeign = !String(referer).startsWith(`http://${String(host)}/`);
    if (options.checksReferer && request.method === 'POST' && isForeign)
      return reject(403, 'The Referer is missing.');
    const response = handlers[operation]({ request, body: body as JsonObject, session, account });
    if (!account || !sessions.renew || response.headers['set-cookie']) return response;
    return withHeaders(response, { 'set-cookie': cookieFor(sessions.renew(session)) });
  }

  function format({ status, headers, body }: ProxyResponse): ProxyResponse {
    const isProblem = options.problemDocuments && status >= 400;
    const type = isProblem ? 'application/problem+json' : 'application/json; charset=utf-8';
    const allHeaders = { ...headers, ...(body !== '' && { 'content-type': type }) };
    const response = { status, headers: allHeaders, body };
    if (options.oldHttp)
      return { ...response, write: ({ socket }) => socket!.end(toOldHttp(response, options)) };
    if (!options.chunked) return response;
    return { ...response, write: (serverResponse) => writeChunks(serverResponse, response) };
  }
}

function toOldHttp({ status, headers, body }: ProxyResponse, { oddHeads }: VariantOptions): string {
  const length = Buffer.byteLength(body);
  const oddLines = [': a line without a name', `Content-Length: ${length}, ${length}`];
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name} : ${value}`),
  );
  const version = oddHeads ? 'http/1.0' : 'HTTP/1.0';
  return [`${version} ${status} ok`, ...lines, ...(oddHeads ? oddLines : []), '', body].join('\n');
}

function writeChunks(serverResponse: ServerResponse, { status, headers, body }: ProxyResponse) {
  serverResponse.writeHead(status, { ...headers, connection: 'close' });
  for (const [chunk] of String(body).matchAll(/[\s\S]{1,64}/g)) serverResponse.write(chunk);
  serverResponse.end();
}

const isSignInOrRegistration = ({ method, path }: ProxyRequest) =>
  ['login', 'registerUser'].includes(findCall(method, path)?.call ?? '');

/** Returns whether a request is one too many of the current minute. */
function createLimiter(
  {
    count,
    isCounted = isSignInOrRegistration,
    keyOf = () => '',
  }: NonNullable<VariantOptions['limitPerMinute']>,
  clock: TestClock,
) {
  const windows = new Map<string, { endMs: number; count: number }>();
  return (request: ProxyRequest): boolean => {
    if (!isCounted(request)) return false;
    let window = windows.get(keyOf(request));
    if (!window || clock.now() >= window.endMs) window = { endMs: clock.now() + 60_000, count: 0 };
    windows.set(keyOf(request), window);
    window.count += 1;
    return window.count > count;
  };
}
