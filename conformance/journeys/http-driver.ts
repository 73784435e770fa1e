import { SimulatedClock } from 'xstate';
import { isAuthenticated, role } from '../../machines/auth.ts';
import { createActors } from '../../src/actors.ts';
import type { Credentials } from '../../machines/types.ts';
import { createApi } from '../../src/api/api.ts';
import { countRequests } from '../../model/controlled-backend.ts';
import { callOf, type BackendResponse, type Call } from '../../model/outcomes.ts';
import {
  forms,
  type FormName,
  type Driver,
  type Route,
  type Observation,
} from '../../model/driver.ts';
import { createInspector } from '../../model/inspection.ts';
import type { SimulatedBrowser } from '../http/simulated-browser.ts';
import type { Exchange } from '../http/client.ts';
import { endingFor, type Preconditions } from './preconditions.ts';
import { assertExpectedResponse, UnexpectedResponse } from './unexpected-response.ts';

/** Something that the app asked for, held back until the circumstances are right. */
type Arrived = {
  call: Call;
  method: string;
  url: string;
  headers: Headers;
  text: string;
  signal: AbortSignal;
  answered: boolean;
  respond: (response: Response) => void;
  fail: (reason: unknown) => void;
};

/**
 * The app's own client and machines in Node, before a running backend. There is no screen: what is seen is what the screens would
 * show. `note` is told what was said.
 */
export async function createHttpDriver(
  stage: Preconditions,
  start: Route,
  note: (exchange: Exchange) => void = () => {},
): Promise<Driver> {
  const { origin } = stage;
  const arrived: Arrived[] = [];
  const logged: string[] = [];
  const clock = new SimulatedClock();
  const { inspect, take } = createInspector();
  const own = stage.browser();
  /** What was created here, and has to be in every list that is asked for from then on. */
  const created = new Set<string | number>();

  const api = createApi({
    origin,
    // The browsers of the stage repeat the token, each its own.
    cookies: () => '',
    async fetch(request) {
      const text = await request.clone().text();
      const { method, url, headers, signal } = request;
      return new Promise<Response>((respond, fail) => {
        signal.addEventListener('abort', () => fail(signal.reason as Error));
        const call = callOf(method, url);
        arrived.push({ call, method, url, headers, text, signal, answered: false, respond, fail });
      });
    },
  });
  const { auth, projects } = createActors({
    api,
    clock,
    inspect,
    log: (what) => logged.push(what),
  });

  let path: Route = start;
  let values: string[] = [];
  let announced = false;
  const go = (route: Route) => {
    if (path === route) return;
    if (path === '/projects') projects.send({ type: 'projects.closed' });
    path = route;
    announced = false;
    if (route === '/projects') projects.send({ type: 'projects.opened' });
    const { submitted } = projects.getSnapshot().context;
    values = route === '/projects' && submitted ? Object.values(submitted) : ['', ''];
  };
  auth.on('user.registered', () => path === '/register' && go('/login'));
  auth.on('user.loggedIn', () => path === '/login' && go('/projects'));
  projects.on('project.created', ({ project }) => {
    if (path !== '/projects') return;
    if (Object.values(project ?? {}).every((text, index) => text === values[index])) {
      values = ['', ''];
    }
    announced = true;
  });
  auth.start();
  projects.start();

  const submits: Record<FormName, (typed: string[]) => void> = {
    login: ([email = '', password = '']) =>
      auth.send({ type: 'login', credentials: { email, password } }),
    registerUser: ([email = '', password = '']) =>
      auth.send({ type: 'registerUser', credentials: { email, password } }),
    createProject: ([title = '', description = '']) =>
      projects.send({ type: 'createProject', project: { title, description } }),
  };

  const pending = (call: Call) =>
    arrived.filter((each) => each.call === call && !each.answered && !each.signal.aborted);

  async function sent(each: Arrived, browser: SimulatedBrowser): Promise<Response> {
    const { method, url, headers, text } = each;
    const request = new Request(url, { method, headers, body: text || null });
    return browser.fetch(request, { note });
  }

  return {
    async go(route) {
      go(route);
      await settled();
    },
    async submit(form, typed) {
      if (typed) values = typed;
      submits[form](values);
      await settled();
    },
    async answer(call, wanted) {
      const each = pending(call)[0];
      if (!each) throw new Error(`No ${call} is waiting for an answer.`);
      each.answered = true;
      const ending = endingFor(wanted);
      const body = bodyOf(each.text) as Credentials;
      const browser = await stage.arrange[call](ending, body, own);
      if (ending === 'unreachable') {
        each.fail(new TypeError('fetch failed'));
        await settled();
        return 'none';
      }
      const answer = await answered(each, browser);
      assertExpectedResponse(call, ending, answer);
      if (call === 'createProject' && ending === 'success') created.add(idOf(answer));
      if (call === 'listProjects' && ending === 'success') expectCreated(answer);
      await settled();
      return answer;
    },
    async answerLate(call) {
      const each = arrived.find((one) => one.call === call && one.signal.aborted && !one.answered);
      if (!each) throw new Error(`No ${call} was given up.`);
      each.answered = true;
      // It had gone out before it was given up, and its answer finds nobody.
      each.respond(await sent(each, own.clone('late')));
      await settled();
    },
    async elapse(milliseconds) {
      // A delay that begins while another ends begins at the end of such a bit.
      for (let left = milliseconds; left > 0; left -= 100) clock.increment(Math.min(left, 100));
    },
    internals: async () => ({
      authenticated: isAuthenticated(auth.getSnapshot()),
      role: role(auth.getSnapshot()),
    }),
    inspection: async () => take(),
    observe: async () => ({
      path,
      ...shown(),
      announced: announced ? 'The project was created.' : '',
      logged: [...logged],
      calls: countRequests(arrived, pending, (last) => bodyOf(last.text)),
    }),
  };

  async function answered(each: Arrived, browser: SimulatedBrowser): Promise<BackendResponse> {
    try {
      const response = await sent(each, browser);
      const text = await response.clone().text();
      each.respond(response);
      const body = parsed(text);
      const { status } = response;
      return body === undefined ? { status, text } : { status, body };
    } catch (error) {
      each.fail(error);
      return 'none';
    }
  }

  function expectCreated(answer: BackendResponse) {
    const rows = typeof answer === 'object' && Array.isArray(answer.body) ? answer.body : [];
    const there = new Set(rows.map((row: { id: string | number }) => row.id));
    for (const id of created) {
      if (!there.has(id))
        throw new UnexpectedResponse(
          `the project that was just created (id ${JSON.stringify(id)}) is not in the list`,
        );
    }
  }

  /** What the screens show of the machines. */
  function shown(): Pick<Observation, 'form' | 'banner' | 'list'> {
    const [who, what] = [auth.getSnapshot(), projects.getSnapshot()];
    const busy: Record<FormName, boolean> = {
      login: who.matches('loggingIn'),
      registerUser: who.matches('registering'),
      createProject: what.matches({ create: 'creating' }),
    };
    const name = (Object.keys(forms) as FormName[]).find((form) => forms[form].route === path);
    const loading = what.matches({ list: 'loading' });
    const empty = loading ? 'Loading projects…' : 'No projects to show.';
    const rows = what.context.projects;
    return {
      form: name && { button: forms[name].button, busy: busy[name], values: [...values] },
      banner:
        name === 'login'
          ? who.context.loginErrorMessage
          : name === 'createProject'
            ? what.context.createErrorMessage
            : undefined,
      list:
        path === '/projects'
          ? {
              busy: loading,
              rows: rows.map(({ title, description }) => [title, description]),
              note: rows.length > 0 ? undefined : empty,
            }
          : undefined,
    };
  }
}

function idOf(answer: BackendResponse): string | number {
  return typeof answer === 'object'
    ? ((answer.body as { id?: string | number } | undefined)?.id ?? '')
    : '';
}

const bodyOf = (text: string | undefined): unknown => (text ? JSON.parse(text) : undefined);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Lets everything happen that waits for nothing but its turn. */
async function settled() {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve));
}
