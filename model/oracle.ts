/**
 * What the specification says must be seen, in plain TypeScript and by hand: chapter 4 of the facts and the readings of their open
 * points. Nothing here is taken from the machines, so a machine that is wrong does not find itself confirmed.
 */
import type { Call, BackendResponse } from './outcomes.ts';
import { forms, type FormName, type Driver, type Route, type Observation } from './driver.ts';

type Project = { id: string | number; title: string; description: string };

/** How a call ended, by the rules for failures (ERROR-1 to ERROR-8, CHOICE-11 to CHOICE-19). */
type Ending =
  | { kind: 'success'; body: unknown }
  | { kind: 'failed request'; message: string }
  | { kind: 'other failure' };

const BATCHED_AND_KEPT = 500 + 60_000;

/** The app as the specification has it, at the hands of a person, a backend and a clock. */
export function createOracle(start: Route): Driver {
  let path: Route = start;
  let values: string[] = [];
  let announced = false;
  const logged: string[] = [];

  // Authentication: AUTH-1.
  let authenticated = false;
  let user: { role?: string } | undefined;
  let loginErrorMessage: string | undefined;

  // Projects: ENTITY-2.
  let projects: Project[] = [];
  let createErrorMessage: string | undefined;
  let submitted: string[] | undefined;
  let unused: number | undefined = 0;

  const calls = Object.fromEntries(
    (['login', 'registerUser', 'listProjects', 'createProject'] as const).map((name) => [
      name,
      { made: 0, pending: 0, sent: undefined },
    ]),
  ) as Observation['calls'];

  function call(name: Call, sent?: unknown) {
    calls[name] = { made: calls[name].made + 1, pending: 1, sent };
  }

  function giveUp(name: Call) {
    calls[name].pending = 0;
  }

  function arrive(at: Route) {
    if (path === at) return;
    // CONST-6, CONST-8: what no screen uses is dropped when the batching and the keeping are over.
    if (path === '/projects') unused = 0;
    path = at;
    values = at === '/projects' && submitted ? submitted : ['', ''];
    announced = false;
    if (at === '/projects') {
      unused = undefined;
      fetchList();
    }
  }

  /** PROJECTS-7, LIST-1, CHOICE-30. */
  function fetchList() {
    giveUp('listProjects');
    call('listProjects');
  }

  function drop() {
    projects = [];
    giveUp('listProjects');
  }

  const submits: Record<FormName, (typed: string[]) => void> = {
    // AUTH-2, CHOICE-1, CHOICE-7, CHOICE-8.
    login([email, password]) {
      if (calls.login.pending) return;
      giveUp('registerUser');
      authenticated = false;
      call('login', { email, password });
    },
    // AUTH-6, CHOICE-7, CHOICE-8.
    registerUser([email, password]) {
      if (calls.registerUser.pending) return;
      giveUp('login');
      authenticated = false;
      call('registerUser', { email, password });
    },
    // CREATE-1, CHOICE-2, CHOICE-7.
    createProject(typed) {
      if (calls.createProject.pending) return;
      createErrorMessage = undefined;
      submitted = typed;
      const [title, description] = typed;
      call('createProject', { title, description });
    },
  };

  const ends: Record<Call, (ending: Ending) => void> = {
    login(ending) {
      authenticated = ending.kind === 'success';
      // AUTH-3, AUTH-5, ERROR-3: only a failed request leaves a message.
      loginErrorMessage = ending.kind === 'failed request' ? ending.message : undefined;
      if (ending.kind === 'other failure') logged.push('login');
      // AUTH-4: success says nothing of the user. AUTH-5: failure clears it.
      if (!authenticated) user = undefined;
      if (!authenticated) return;
      // Somebody else may have signed in: what was fetched before is not theirs.
      drop();
      if (path === '/projects') fetchList();
      // CHOICE-4.
      if (path === '/login') arrive('/projects');
    },
    registerUser(ending) {
      authenticated = ending.kind === 'success';
      // AUTH-7, AUTH-9, CHOICE-17.
      user = ending.kind === 'success' ? understoodUser(ending.body) : undefined;
      if (ending.kind === 'other failure') logged.push('registerUser');
      // AUTH-8, CHOICE-5.
      if (authenticated && path === '/register') arrive('/login');
    },
    listProjects(ending) {
      // LIST-3, LIST-4, LIST-5, CHOICE-19.
      const list = ending.kind === 'success' ? understoodProjects(ending.body) : undefined;
      projects = list ?? [];
      if (!list) logged.push('listProjects');
    },
    createProject(ending) {
      const project = ending.kind === 'success' ? understoodProject(ending.body) : undefined;
      if (project) {
        // CREATE-2, CREATE-3, CHOICE-32.
        projects = [...projects.filter(({ id }) => id !== project.id), project];
        createErrorMessage = undefined;
        // CHOICE-31.
        if (calls.listProjects.pending) fetchList();
        if (path === '/projects') {
          // CHOICE-27, unless the person typed something else meanwhile.
          if (submitted?.every((text, index) => text === values[index])) values = ['', ''];
          announced = true;
        }
        submitted = undefined;
      } else {
        // CREATE-4, ERROR-5 to ERROR-7, CHOICE-18, CHOICE-28.
        createErrorMessage = ending.kind === 'failed request' ? ending.message : undefined;
        if (ending.kind !== 'failed request') logged.push('createProject');
      }
    },
  };

  return {
    async go(route) {
      arrive(route);
    },
    async submit(form, typed) {
      if (typed) values = typed;
      submits[form](values);
    },
    async answer(name, answer) {
      if (!calls[name].pending) throw new Error(`No ${name} is waiting for an answer.`);
      calls[name].pending = 0;
      ends[name](endingOf(answer));
      return answer;
    },
    // CHOICE-8: an answer to a call that was given up counts for nothing.
    async answerLate() {},
    async elapse(milliseconds) {
      if (unused === undefined) return;
      unused += milliseconds;
      if (unused >= BATCHED_AND_KEPT) drop();
    },
    async observe() {
      return { path, ...onScreen(), calls: structuredClone(calls), logged: [...logged] };
    },
    async internals() {
      return { authenticated, role: user?.role };
    },
  };

  function onScreen(): Pick<Observation, 'form' | 'banner' | 'list' | 'announced'> {
    const name = (Object.keys(forms) as FormName[]).find((form) => forms[form].route === path);
    const loading = calls.listProjects.pending > 0;
    return {
      form: name && {
        button: forms[name].button,
        busy: calls[name].pending > 0,
        values: [...values],
      },
      banner: { '/login': loginErrorMessage, '/projects': createErrorMessage }[path as string],
      announced: announced ? 'The project was created.' : '',
      list:
        path === '/projects'
          ? {
              busy: loading,
              rows: projects.map(({ title, description }) => [title, description]),
              // CHOICE-29.
              note:
                projects.length > 0
                  ? undefined
                  : loading
                    ? 'Loading projects…'
                    : 'No projects to show.',
            }
          : undefined,
    };
  }
}

function endingOf(answer: BackendResponse): Ending {
  // CHOICE-12.
  if (answer === 'none') return { kind: 'failed request', message: 'Internal Server Error' };
  if (answer === 'fault') return { kind: 'other failure' };
  const { status, body } = answer;
  if (status >= 200 && status < 300) return { kind: 'success', body };
  // ERROR-1, ERROR-2, CHOICE-11, CHOICE-14.
  const message = fieldOf(body, 'message');
  const told = typeof message === 'string' && message.trim() !== '';
  return { kind: 'failed request', message: told ? message : 'Internal Server Error' };
}

function understoodUser(body: unknown): { role?: string } {
  const role = fieldOf(body, 'role');
  return typeof role === 'string' ? { role } : {};
}

function understoodProjects(body: unknown): Project[] | undefined {
  if (!Array.isArray(body)) return undefined;
  const projects = body.map(understoodProject).filter((project) => project !== undefined);
  return projects.length === body.length ? projects : undefined;
}

function understoodProject(body: unknown): Project | undefined {
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
