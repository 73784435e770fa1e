import { SimulatedClock } from 'xstate';
import { isAuthenticated, role } from '../../../machines/auth.ts';
import { createActors } from '../../../src/actors.ts';
import { createApi } from '../../../src/api/api.ts';
import { callNames, callOf } from '../backend-hands.ts';
import { told, type Answer, type Call } from '../calls.ts';
import { forms, type FormName, type Hands, type Route, type Seen } from '../driver.ts';
import { observer } from '../observed.ts';

/** What a real backend can be brought to by circumstances: the right ones are made before the call goes out. */
export type Arranged = 'success' | 'empty' | 'refusal' | 'unreachable';

/** Something that the app asked for, held back until the circumstances are right. */
type Arrived = {
  call: Call;
  request: Request;
  sent: unknown;
  answered: boolean;
  respond: (response: Response) => void;
  fail: (reason: unknown) => void;
};

type Jar = Map<string, string>;
type Person = { email: string; password: string };

const nowhere = 'http://127.0.0.1:1';
let people = 0;

/**
 * The app's own client and machines in Node, with a cookie jar, before a running backend. There is no screen: what is seen is
 * what the screens would show.
 */
export async function httpHands(address: string, start: Route): Promise<Hands> {
  const arrived: Arrived[] = [];
  const jar: Jar = new Map();
  const logged: string[] = [];
  const clock = new SimulatedClock();
  const { inspect, take } = observer();

  const api = createApi({
    origin: address,
    cookies: () => cookiesOf(jar),
    async fetch(request) {
      const text = await request.clone().text();
      const { promise, resolve, reject } = Promise.withResolvers<Response>();
      request.signal.addEventListener('abort', () => reject(request.signal.reason));
      arrived.push({
        call: callOf(request.method, request.url),
        request,
        sent: text === '' ? undefined : JSON.parse(text),
        answered: false,
        respond: resolve,
        fail: reject,
      });
      return promise;
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
  auth.on('registered', () => path === '/register' && go('/login'));
  auth.on('loggedIn', () => path === '/login' && go('/projects'));
  projects.on('projectCreated', ({ project }) => {
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

  /** A person of the backend's own, with a session and so many projects. */
  async function somebody(projectCount: number): Promise<Jar> {
    const person = { email: `somebody-${++people}@example.org`, password: 'correct horse' };
    const theirs: Jar = new Map();
    await post('/api/v1/users/register', person);
    await post('/api/v1/auth/login', person, theirs);
    for (let n = 1; n <= projectCount; n++) {
      await post('/api/v1/projects', told.newProject(people * 100 + n), theirs);
    }
    return theirs;
  }

  async function post(to: string, body: unknown, theirs: Jar = new Map()): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const request = new Request(address + to, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    await send(request, theirs);
  }

  /** Makes the backend answer so, and gives the cookies to ask with. */
  const arrange: Record<Call, (ending: Arranged, sent: Person) => Promise<Jar>> = {
    async login(ending, person) {
      if (ending === 'success') await post('/api/v1/users/register', person);
      return jar;
    },
    async registerUser(ending, person) {
      if (ending === 'refusal') await post('/api/v1/users/register', person);
      return jar;
    },
    listProjects: async (ending) =>
      ending === 'refusal' ? new Map() : somebody(ending === 'empty' ? 0 : 2),
    createProject: async (ending) => (ending === 'refusal' ? new Map() : somebody(0)),
  };

  const pending = (call: Call) =>
    arrived.filter((each) => each.call === call && !each.answered && !each.request.signal.aborted);

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
      const ending = arranged(wanted);
      const theirs = await arrange[call](ending, each.sent as Person);
      const target = ending === 'unreachable' ? nowhere : address;
      let answer: Answer = 'none';
      try {
        const response = await send(at(target, each.request), theirs);
        const text = await response.text();
        answer = { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
        each.respond(new Response(text || null, response));
      } catch (error) {
        each.fail(error);
      }
      expectToBe(ending, answer);
      await settled();
      return answer;
    },
    async answerLate(call) {
      const each = arrived.find(
        (one) => one.call === call && one.request.signal.aborted && !one.answered,
      );
      if (!each) throw new Error(`No ${call} was given up.`);
      each.answered = true;
      // It had gone out before it was given up, and its answer finds nobody.
      each.respond(await send(at(address, each.request), new Map(jar)));
      await settled();
    },
    async elapse(milliseconds) {
      for (let passed = 0; passed < milliseconds; passed++) clock.increment(1);
    },
    known: async () => ({
      authenticated: isAuthenticated(auth.getSnapshot()),
      role: role(auth.getSnapshot()),
    }),
    did: async () => take(),
    see: async () => ({
      path,
      ...shown(),
      announced: announced ? 'The project was created.' : '',
      logged: [...logged],
      calls: Object.fromEntries(
        callNames.map((call) => [
          call,
          {
            made: arrived.filter((each) => each.call === call).length,
            pending: pending(call).length,
            sent: arrived.findLast((each) => each.call === call)?.sent,
          },
        ]),
      ) as Seen['calls'],
    }),
  };

  /** What the screens show of the machines. */
  function shown(): Pick<Seen, 'form' | 'banner' | 'list'> {
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

/** The circumstances in which a backend gives such an answer. */
function arranged(wanted: Answer): Arranged {
  if (wanted === 'none') return 'unreachable';
  if (wanted === 'fault') throw new Error('No backend can make the app fail.');
  if (wanted.status >= 400) return 'refusal';
  return Array.isArray(wanted.body) && wanted.body.length === 0 ? 'empty' : 'success';
}

function expectToBe(ending: Arranged, answer: Answer) {
  const status = typeof answer === 'object' ? answer.status : 0;
  const is =
    status === 0
      ? 'unreachable'
      : status >= 400
        ? 'refusal'
        : ending === 'empty'
          ? 'empty'
          : 'success';
  if (is !== ending) throw new Error(`Wanted ${ending}, and got ${JSON.stringify(answer)}.`);
}

const at = (address: string, request: Request) =>
  new Request(
    address + new URL(request.url).pathname,
    new Request(request.clone(), { signal: null }),
  );

/** Sends what a browser with these cookies would send, and keeps the cookies that come back. */
async function send(request: Request, jar: Jar): Promise<Response> {
  const { headers } = request;
  headers.set('origin', new URL(request.url).origin);
  headers.delete('x-xsrf-token');
  const token = jar.get('XSRF-TOKEN');
  if (token) headers.set('x-xsrf-token', decodeURIComponent(token));
  if (jar.size > 0) headers.set('cookie', cookiesOf(jar));
  const response = await fetch(request);
  for (const cookie of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    jar.set(name, value);
  }
  return response;
}

const cookiesOf = (jar: Jar) => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');

/** Lets everything happen that waits for nothing but its turn. */
async function settled() {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve));
}
