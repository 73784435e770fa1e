import { createHash, randomBytes } from 'node:crypto';
import { eachText, isLengthAllowed, textNames, type TextName } from '../../http/project-texts.ts';
import { parseJson } from '../../http/response.ts';
import type { OperationId } from '../../../generated/operations.ts';
import type { Credentials, NewProject, Project } from '../../../machines/types.ts';
import { findCall, operationOf } from '../../../model/requests.ts';
import {
  startStubServer,
  type BackendRequest,
  type BackendResponse,
  type HeaderMap,
  type Respond,
} from './stub-server.ts';
import type { TestClock } from './test-clock.ts';

export type JsonObject = Record<string, unknown>;
export type StoredAccount = Credentials & { projects: Project[] };

/** A request of an operation, with a body that is an object. */
export type BackendCall = {
  request: BackendRequest;
  params: Record<string, string>;
  json: JsonObject;
  /** The session cookie, or ''. */
  session: string;
  account: StoredAccount | undefined;
};

/** A backend in memory. Each function can be replaced by that of another backend. */
export type Backend = Record<OperationId, (call: BackendCall) => BackendResponse> & {
  /** By `emailKey` of their emails. */
  accounts: Map<string, StoredAccount>;
  /** Of all accounts, in the order of their creation. */
  projects: Project[];
  sessions: Map<string, StoredAccount>;
  /** The projects that were created with an Idempotency-Key, by account and key. */
  projectsByKey: Map<string, Project>;
  respond: Respond;
  refuse: (status: number, message: string) => BackendResponse;
  emailKey: (email: string) => string;
  /** What of a password is compared. */
  passwordKey: (password: string) => string;
  findCredentialsFault: (email: string, password: string) => string | undefined;
  registered: (call: BackendCall) => BackendResponse;
  loggedIn: () => BackendResponse;
  /** Refuses a wrong password, or an unknown email. */
  refuseLogin: (account: StoredAccount | undefined, call: BackendCall) => BackendResponse;
  signIn: (account: StoredAccount, call: BackendCall) => string[];
  createToken: () => string;
  /** Returns its cookie. The old session of the browser ends. */
  createSession: (account: StoredAccount, oldSession: string, request: BackendRequest) => string;
  cookiesOf: (session: string) => string[];
  sessionCookie: (session: string) => string;
  xsrfCookie: (token: string) => string;
  findAccount: (session: string, request: BackendRequest) => StoredAccount | undefined;
  /** The XSRF token of a session; undefined if the backend has none. */
  xsrfToken: (session: string) => string | undefined;
  isXsrfTokenRight: (call: BackendCall) => boolean;
  findProjectFault: (texts: JsonObject) => string | undefined;
  /** Returns what a repeated Idempotency-Key creates no second time. */
  findRepeated: (call: BackendCall) => Project | undefined;
  createId: () => string | number;
  created: (project: Project) => BackendResponse;
  /** Returns the projects that a user may see. */
  projectsOf: (account: StoredAccount) => Project[];
  listOf: (account: StoredAccount, call: BackendCall) => unknown;
};

/**
 * Returns the functions that replace those of a backend, or a change that does. Called once per
 * backend. The clock is that of the kit.
 */
export type Change = (backend: Backend, clock: TestClock) => Partial<Backend> | Change;

export function applyChange(backend: Backend, clock: TestClock, change: Change) {
  const changed = change(backend, clock);
  if (typeof changed === 'function') applyChange(backend, clock, changed);
  else Object.assign(backend, changed);
}

/** Creates a backend that meets every MUST check. It has no XSRF token and no Idempotency-Key. */
function createBackend(): Backend {
  const backend: Backend = {
    accounts: new Map(),
    projects: [],
    sessions: new Map(),
    projectsByKey: new Map(),
    respond(request) {
      const found = findCall(request.method, request.path);
      if (!found) return backend.refuse(404, 'There is nothing here.');
      const { call: operation, params } = found;
      const { hasBody } = operationOf(operation);
      if (request.body.length > 1_000_000) return backend.refuse(413, 'This is too much.');
      if (hasBody && !/json/i.test(String(request.headers['content-type'])))
        return backend.refuse(415, 'The request must be sent as JSON.');
      const json = hasBody ? parseJson(request.body) : {};
      if (typeof json !== 'object' || json === null || Array.isArray(json))
        return backend.refuse(400, 'This is not a JSON object.');
      const session = requestCookie(request, 'session') ?? '';
      const account = backend.findAccount(session, request);
      return backend[operation]({ request, params, json: json as JsonObject, session, account });
    },
    refuse: (status, message) => jsonResponse(status, { message }),
    emailKey: (email) => email.toLowerCase(),
    passwordKey: (password) => password,
    findCredentialsFault(email, password) {
      if (!email.includes('@')) return 'This email is not valid.';
      return password.length < 8 ? 'This password is too short.' : undefined;
    },
    registerUser(call) {
      const { email, password } = call.json;
      if (typeof email !== 'string' || typeof password !== 'string')
        return backend.refuse(422, 'Email and password are required.');
      const fault = backend.findCredentialsFault(email, password);
      if (fault) return backend.refuse(422, fault);
      const key = backend.emailKey(email);
      if (backend.accounts.has(key)) return backend.refuse(409, 'This email has an account.');
      backend.accounts.set(key, { email: key, password, projects: [] });
      return backend.registered(call);
    },
    registered: () => jsonResponse(201, { role: 'member' }),
    login(call) {
      const { email, password } = call.json;
      if (typeof email !== 'string' || typeof password !== 'string')
        return backend.refuse(422, 'Email and password are required.');
      const account = backend.accounts.get(backend.emailKey(email));
      if (!account || backend.passwordKey(account.password) !== backend.passwordKey(password))
        return backend.refuseLogin(account, call);
      return withHeaders(backend.loggedIn(), { 'set-cookie': backend.signIn(account, call) });
    },
    loggedIn: () => jsonResponse(200, {}),
    refuseLogin: () => backend.refuse(401, 'The email or the password is not right.'),
    signIn: (account, { session, request }) =>
      backend.cookiesOf(backend.createSession(account, session, request)),
    createToken: randomToken,
    createSession(account, oldSession) {
      backend.sessions.delete(oldSession);
      const session = backend.createToken();
      backend.sessions.set(session, account);
      return session;
    },
    cookiesOf(session) {
      const token = backend.xsrfToken(session);
      return [
        backend.sessionCookie(session),
        ...(token === undefined ? [] : [backend.xsrfCookie(token)]),
      ];
    },
    sessionCookie: (session) => `session=${session}; Max-Age=600; Path=/; HttpOnly; SameSite=Lax`,
    xsrfCookie: (token) => `XSRF-TOKEN=${token}; Max-Age=600; Path=/; SameSite=Lax`,
    findAccount: (session) => backend.sessions.get(session),
    xsrfToken: () => undefined,
    isXsrfTokenRight({ request, session }) {
      const token = backend.xsrfToken(session);
      return token === undefined || request.headers['x-xsrf-token'] === token;
    },
    listProjects(call) {
      if (!call.account) return backend.refuse(401, 'Please sign in.');
      return jsonResponse(200, backend.listOf(call.account, call));
    },
    projectsOf: ({ projects }) => projects,
    listOf: (account) => backend.projectsOf(account),
    findProjectFault: (texts) =>
      Object.values(texts).every((text) => typeof text === 'string')
        ? undefined
        : 'Each text of a project is required.',
    createProject(call) {
      const { account, json } = call;
      if (!account) return backend.refuse(401, 'Please sign in.');
      if (!backend.isXsrfTokenRight(call)) return backend.refuse(403, 'The token is not right.');
      const texts = eachText((name) => json[name]);
      const fault = backend.findProjectFault(texts);
      if (fault) return backend.refuse(422, fault);
      const repeated = backend.findRepeated(call);
      if (repeated && textNames.some((name) => repeated[name] !== texts[name]))
        return backend.refuse(422, 'This request repeats the key of a different one.');
      if (repeated) return backend.created(repeated);
      const project = { id: backend.createId(), ...(texts as NewProject) };
      account.projects.push(project);
      backend.projects.push(project);
      backend.projectsByKey.set(keyOf(call), project);
      return backend.created(project);
    },
    findRepeated: () => undefined,
    createId: randomToken,
    created: (project) => jsonResponse(201, project),
  };
  return backend;
}

const keyOf = ({ request, account }: BackendCall) =>
  `${account!.email} ${String(request.headers['idempotency-key'])}`;

const findByKey =
  ({ projectsByKey }: Backend): Backend['findRepeated'] =>
  (call) =>
    call.request.headers['idempotency-key'] ? projectsByKey.get(keyOf(call)) : undefined;

/** Returns the first project with this Idempotency-Key. */
export const idempotencyKeys: Change = (backend) => ({ findRepeated: findByKey(backend) });

const isStorable = (name: TextName, value: unknown) =>
  typeof value === 'string' &&
  isLengthAllowed(name, value) &&
  !value.includes('\0') &&
  value.isWellFormed();

/** Meets the SHOULD checks too. */
export const exemplary: Change = (backend) => ({
  findRepeated: findByKey(backend),
  xsrfToken: (session) => createHash('sha256').update(session).digest('base64url'),
  findProjectFault: (texts) =>
    textNames.every((name) => isStorable(name, texts[name]))
      ? undefined
      : 'A text of a project is missing, too short or too long.',
});

export function startBackend(clock: TestClock, ...changes: Change[]) {
  const backend = createBackend();
  for (const change of changes) applyChange(backend, clock, change);
  return startStubServer((request) => backend.respond(request));
}

const randomToken = () => randomBytes(18).toString('hex');

export const requestCookie = ({ headers }: BackendRequest, name: string) =>
  new RegExp(`(?:^|; )${name}=([^;]*)`).exec(String(headers['cookie'] ?? ''))?.[1];

export const jsonResponse = (status: number, body: unknown): BackendResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

export const withHeaders = <Message extends { headers: HeaderMap }>(
  message: Message,
  headers: HeaderMap,
): Message => ({ ...message, headers: { ...message.headers, ...headers } });
