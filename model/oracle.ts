/**
 * Implements docs/specification.md by hand, in plain TypeScript. It shares no decision with the
 * machines and the screens, so that a wrong one is not confirmed by itself. It shares the words of
 * `observation.ts`, in which both are compared.
 */
/* oxlint-disable max-lines -- so that it can be read apart from all else */
import {
  callNames,
  emptyFormAt,
  isFetched,
  type Call,
  type FetchedCall,
  type PressedCall,
} from './calls.ts';
import type { Driver } from './driver.ts';
import { screenOf, type Observation } from './observation.ts';
import type { BackendResponse } from './results.ts';

type Project = { id: string | number; title: string; description: string };

/** How a call ended (ERROR-1 to ERROR-8, CHOICE-11 to CHOICE-19). */
type Outcome =
  | { kind: 'success'; body: unknown }
  | { kind: 'failed request'; message: string }
  | { kind: 'other failure' };

/** CONST-8, CONST-6: batching of subscription changes, then the lifetime of unused data. */
const [batchingMs, keepUnusedDataMs] = [500, 60_000];

export type Oracle = ReturnType<typeof createOracle>;

/** Returns a driver of the specified app. It starts at the address `start`. */
// oxlint-disable-next-line max-lines-per-function -- the specification reads as one list of what happens
export function createOracle(start: string) {
  let path = start;
  let values: string[] = [];
  let announced = '';
  const logged: string[] = [];

  // Authentication: AUTH-1.
  let authenticated = false;
  let user: { role?: string } | undefined;
  let loginErrorMessage: string | undefined;
  /** CHOICE-117. */
  let registeredEmail: string | undefined;

  // Projects: ENTITY-2.
  let projects: Project[] = [];
  let hasListFailed = false;
  let createErrorMessage: string | undefined;
  let submitted: string[] | undefined;
  /** What stands in the form when its screen opens: CHOICE-48, CHOICE-95. */
  let draft = emptyFormAt('/projects');

  /** When what a call fetched is dropped: 0 if it was, undefined while its screen is open. */
  const expiresInMs: Record<FetchedCall, number | undefined> = { listProjects: 0 };

  /** The email of the last sign-in, in lower case. */
  let lastEmail: string | undefined;
  /** CHOICE-78: what received projects is no page of a visitor. */
  let isVisitor = true;

  const calls = Object.fromEntries(
    callNames.map((name) => [name, { made: 0, pending: 0, sent: undefined }]),
  ) as Observation['calls'];

  function call(name: Call, sent?: unknown) {
    calls[name] = { made: calls[name].made + 1, pending: 1, sent };
  }

  function abort(name: Call) {
    calls[name] = { ...calls[name], pending: 0 };
  }

  function navigate(to: string) {
    if (path === to) {
      // CHOICE-100.
      if (path === '/projects') fetchList();
      return;
    }
    if (path === '/projects') {
      expiresInMs.listProjects = batchingMs + keepUnusedDataMs;
      draft = values;
    }
    path = to;
    values = to === '/projects' ? draft : emptyFormAt(to);
    if (to === '/login' && registeredEmail !== undefined) values = [registeredEmail, ''];
    announced = '';
    if (to === '/projects') {
      expiresInMs.listProjects = undefined;
      fetchList();
    }
  }

  /** PROJECTS-7, LIST-1, CHOICE-30. */
  function fetchList() {
    abort('listProjects');
    call('listProjects');
    hasListFailed = false;
  }

  function dropList() {
    projects = [];
    hasListFailed = false;
    abort('listProjects');
  }

  const drop: Record<FetchedCall, () => void> = { listProjects: dropList };

  function dropText(isElsewhere: boolean) {
    abort('createProject');
    // A form without a draft may have a text of the user who is signing in here.
    const wasEmpty = (submitted ?? draft).join('') === '';
    if (path === '/projects' && (isElsewhere || !wasEmpty)) values = emptyFormAt(path);
    submitted = undefined;
    draft = emptyFormAt('/projects');
  }

  function changeUser(email: string, isElsewhere: boolean) {
    // CHOICE-77, CHOICE-78, CHOICE-95.
    if (!isVisitor && lastEmail !== email) dropText(isElsewhere);
    lastEmail = email;
    isVisitor = false;
    createErrorMessage = undefined;
    // CHOICE-47: the rows belong to the previous user.
    dropList();
    if (path === '/projects') fetchList();
  }

  function reload(email = lastEmail) {
    // CHOICE-96.
    const isSameUser = lastEmail !== undefined && email?.toLowerCase() === lastEmail;
    const typed = path === '/projects' ? values : draft;
    draft = isSameUser ? typed : emptyFormAt('/projects');
    lastEmail = email?.toLowerCase();
    isVisitor = lastEmail === undefined;
    // AUTH-1, CHOICE-9.
    authenticated = false;
    user = loginErrorMessage = registeredEmail = createErrorMessage = submitted = undefined;
    for (const name of callNames) abort(name);
    dropList();
    expiresInMs.listProjects = 0;
    const to = path;
    path = '';
    navigate(to);
  }

  const isSubmitted = (text: string[]) => submitted?.every((part, index) => part === text[index]);

  const loginEmail = () => String(fieldOf(calls.login.sent, 'email')).toLowerCase();

  /** Each gets the values of the form in view. */
  const press: Record<PressedCall, (typed: string[]) => void> = {
    // AUTH-2, CHOICE-1, CHOICE-7, CHOICE-8.
    login([email, password]) {
      if (calls.login.pending) return;
      abort('registerUser');
      authenticated = false;
      call('login', { email, password });
    },
    // AUTH-6, CHOICE-7, CHOICE-8.
    registerUser([email, password]) {
      if (calls.registerUser.pending) return;
      abort('login');
      authenticated = false;
      call('registerUser', { email, password });
    },
    // CREATE-1, CHOICE-2, CHOICE-7.
    createProject(typed) {
      if (calls.createProject.pending) return;
      createErrorMessage = undefined;
      submitted = draft = typed;
      const [title, description] = typed;
      call('createProject', { title, description });
    },
  };

  const end: Record<Call, (outcome: Outcome) => void> = {
    login(outcome) {
      authenticated = outcome.kind === 'success';
      // AUTH-3, AUTH-5, ERROR-3: only a failed request leaves a message.
      loginErrorMessage = outcome.kind === 'failed request' ? outcome.message : undefined;
      if (outcome.kind === 'other failure') logged.push('login');
      // AUTH-4: success keeps the user. AUTH-5: failure clears it.
      if (!authenticated) user = undefined;
      if (!authenticated) return;
      registeredEmail = undefined;
      changeUser(loginEmail(), false);
      // CHOICE-4.
      if (path === '/login') navigate('/projects');
    },
    registerUser(outcome) {
      authenticated = outcome.kind === 'success';
      // AUTH-7, AUTH-9, CHOICE-17.
      user = outcome.kind === 'success' ? decodeUser(outcome.body) : undefined;
      if (outcome.kind === 'other failure') logged.push('registerUser');
      if (!authenticated) return;
      registeredEmail = String(fieldOf(calls.registerUser.sent, 'email'));
      // CHOICE-119.
      changeUser(registeredEmail.toLowerCase(), false);
      // AUTH-8, CHOICE-5.
      if (path === '/register') navigate('/login');
    },
    listProjects(outcome) {
      // LIST-3, LIST-4, LIST-5, CHOICE-19.
      const list = outcome.kind === 'success' ? decodeProjects(outcome.body) : undefined;
      projects = list ?? [];
      hasListFailed = !list;
      if (list) isVisitor = false;
      if (!list) logged.push('listProjects');
    },
    createProject(outcome) {
      const project = outcome.kind === 'success' ? decodeProject(outcome.body) : undefined;
      if (project) {
        // CREATE-2, CREATE-3, CHOICE-32.
        projects = [...projects.filter((other) => !isSameProject(other, project)), project];
        createErrorMessage = undefined;
        // CHOICE-97.
        if (expiresInMs.listProjects === 0) expiresInMs.listProjects = keepUnusedDataMs;
        // CHOICE-31, CHOICE-99.
        if (calls.listProjects.pending || (hasListFailed && path === '/projects')) fetchList();
        // CHOICE-27, CHOICE-49: unless the user typed something else meanwhile.
        if (path === '/projects') {
          if (isSubmitted(values)) values = emptyFormAt(path);
          announced = 'The project was created.';
        }
        if (isSubmitted(draft)) draft = emptyFormAt('/projects');
        submitted = undefined;
      } else {
        // CREATE-4, ERROR-5 to ERROR-7, CHOICE-18, CHOICE-28.
        createErrorMessage = outcome.kind === 'failed request' ? outcome.message : undefined;
        if (outcome.kind !== 'failed request') logged.push('createProject');
      }
    },
  };

  const screen = () =>
    screenOf({
      path,
      values,
      announced,
      pending: callNames.filter((name) => calls[name].pending > 0),
      hasListFailed,
      errorMessages: { '/login': loginErrorMessage, '/projects': createErrorMessage },
      projects,
    });

  const driver: Driver = {
    async go(address) {
      navigate(address);
    },
    async fill(_, typed) {
      values = typed;
    },
    async press(name) {
      press[name](values);
    },
    async answer(name, answer) {
      if (!calls[name].pending) throw new Error(`No ${name} is pending.`);
      abort(name);
      end[name](outcomeOf(answer));
    },
    async elapse(milliseconds) {
      for (const name of callNames.filter(isFetched)) {
        const remainingMs = expiresInMs[name];
        if (remainingMs === undefined) continue;
        expiresInMs[name] = Math.max(remainingMs - milliseconds, 0);
        if (expiresInMs[name] === 0) drop[name]();
      }
    },
    // CHOICE-101.
    async signInElsewhere(email) {
      if (lastEmail !== email.toLowerCase()) changeUser(email.toLowerCase(), true);
    },
    async observe() {
      return {
        ...screen(),
        calls: { ...calls },
        logged: [...logged],
        authenticated,
        role: user?.role,
      };
    },
  };
  return {
    ...driver,
    reload: async (email?: string) => reload(email),
    screen,
    /** Returns everything that decides what the app does next. */
    state: () => ({
      path,
      // The other forms are empty when their screen opens.
      values: path === '/projects' ? values : undefined,
      announced,
      authenticated,
      user,
      loginErrorMessage,
      projects,
      hasListFailed,
      createErrorMessage,
      submitted,
      draft,
      expiresInMs: { ...expiresInMs },
      lastEmail,
      loginEmail: calls.login.pending > 0 ? loginEmail() : undefined,
      calls,
    }),
  };
}

function outcomeOf(answer: BackendResponse): Outcome {
  // CHOICE-12.
  if (answer === 'none') return { kind: 'failed request', message: 'Internal Server Error' };
  if (answer === 'fault') return { kind: 'other failure' };
  const { status, body } = answer;
  if (status >= 200 && status < 300) return { kind: 'success', body };
  // ERROR-1, ERROR-2, CHOICE-11, CHOICE-14.
  const message = fieldOf(body, 'message');
  const isUsable = typeof message === 'string' && message.trim() !== '';
  return { kind: 'failed request', message: isUsable ? message : 'Internal Server Error' };
}

/** A number above 2^53 may stand for several ids. */
const isSameProject = (one: Project, other: Project) =>
  one.id === other.id &&
  (typeof one.id === 'string' ||
    Number.isSafeInteger(Math.trunc(one.id)) ||
    (one.title === other.title && one.description === other.description));

function decodeUser(body: unknown): { role?: string } {
  const role = fieldOf(body, 'role');
  return typeof role === 'string' ? { role } : {};
}

function decodeProjects(body: unknown): Project[] | undefined {
  if (!Array.isArray(body)) return undefined;
  const projects = body.map(decodeProject).filter((project) => project !== undefined);
  return projects.length === body.length ? projects : undefined;
}

function decodeProject(body: unknown): Project | undefined {
  const [id, title, description] = ['id', 'title', 'description'].map((name) =>
    fieldOf(body, name),
  );
  const identified = typeof id === 'string' || typeof id === 'number';
  return identified && typeof title === 'string' && typeof description === 'string'
    ? { id, title, description }
    : undefined;
}

function fieldOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null
    ? Object.entries(body).find(([key]) => key === name)?.[1]
    : undefined;
}
