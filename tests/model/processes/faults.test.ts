import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { field, fillCredentials, fillProject, submit, useBrowser } from '../../support/browser.ts';
import type { BackendResponse, Call } from '../../../model/outcomes.ts';
import type { Driver, Route, Observation } from '../../../model/driver.ts';
import { createBrowserDriver, buildApp } from './browser-driver.ts';

const browser = useBrowser();
let files: Awaited<ReturnType<typeof buildApp>>;
beforeAll(async () => {
  files = await buildApp();
});

const relaunch = { id: 'p1', title: 'Website relaunch', description: 'New pages.' };
const office = { id: 'p2', title: 'Move to the new office', description: 'Boxes.' };
const typed = ['My title', 'My description'];

/** The built app on a screen. `before` runs before anything of the app does. */
async function open(route: Route, before?: (page: Page) => Promise<unknown>) {
  const { page, problems } = await browser.open();
  await before?.(page);
  const hands = await createBrowserDriver(page, files, route);
  return {
    page,
    hands,
    sees: (part: object) => seen(hands, part),
    /** What was thrown and warned of, and a screen that is blank. That an answer was a refusal the browser notes by itself. */
    wrong: async () => [
      ...problems.filter((problem) => !problem.startsWith('Failed to load resource')),
      ...((await page.locator('h1').isVisible()) ? [] : ['a blank screen']),
    ],
  };
}

async function seen(hands: Driver, part: object): Promise<Observation> {
  return vi.waitFor(
    async () => {
      const now = await hands.observe();
      expect(now).toMatchObject(part);
      return now;
    },
    { timeout: 30_000, interval: 20 },
  );
}

/** The screen of the projects with a form that was submitted. */
async function creating() {
  const app = await open('/projects');
  await app.sees({ calls: { listProjects: { pending: 1 } } });
  await app.hands.answer('listProjects', { status: 200, body: [relaunch] });
  await app.sees({ list: { rows: [[relaunch.title, relaunch.description]] } });
  await app.hands.submit('createProject', typed);
  await app.sees({ form: { busy: true }, calls: { createProject: { pending: 1 } } });
  return app;
}

async function signingIn() {
  const app = await open('/login');
  await app.hands.submit('login', ['ada@example.org', 'correct horse']);
  await app.sees({ form: { busy: true }, calls: { login: { pending: 1 } } });
  return app;
}

const html = '<!doctype html><h1>Bad gateway</h1>';
const missing = 'Internal Server Error';
const refusals: [string, BackendResponse, string | undefined][] = [
  ['no network', 'none', missing],
  ...[400, 401, 404, 422, 429, 500, 503].flatMap((status): [string, BackendResponse, string][] => [
    [
      `${status} with a message`,
      { status, body: { message: `It is ${status}.` } },
      `It is ${status}.`,
    ],
    [`${status} without a message`, { status, body: {} }, missing],
  ]),
  ['an HTML error page', { status: 502, text: html }, missing],
  ['truncated JSON in a refusal', { status: 422, text: '{"message": "Tit' }, missing],
];

test('[ERROR-1, ERROR-2, CHOICE-11, CHOICE-12] signing in: each refusal is shown, keeps what was typed, and can be tried again', async () => {
  const { hands, sees, wrong } = await signingIn();
  for (const [, answer, banner] of refusals) {
    await hands.answer('login', answer);
    await sees({
      banner,
      form: { busy: false, values: ['ada@example.org', 'correct horse'] },
    });
    await hands.submit('login', undefined);
    await sees({ form: { busy: true }, calls: { login: { pending: 1 } } });
  }
  expect(await wrong()).toEqual([]);
});

test('[ERROR-4, CHOICE-6] registering: each refusal shows no text, keeps what was typed, and can be tried again', async () => {
  const { hands, sees, wrong } = await open('/register');
  await hands.submit('registerUser', ['ada@example.org', 'correct horse']);
  for (const [, answer] of refusals) {
    await sees({ form: { busy: true }, calls: { registerUser: { pending: 1 } } });
    await hands.answer('registerUser', answer);
    await sees({
      path: '/register',
      banner: undefined,
      form: { busy: false, values: ['ada@example.org', 'correct horse'] },
    });
    await hands.submit('registerUser', undefined);
  }
  expect(await wrong()).toEqual([]);
});

test('[ERROR-5, ERROR-6, CHOICE-28] creating: each refusal is shown, keeps what was typed, and can be tried again', async () => {
  const { hands, sees, wrong } = await creating();
  for (const [, answer, banner] of refusals) {
    await hands.answer('createProject', answer);
    await sees({
      banner,
      form: { busy: false, values: typed },
      list: { rows: [[relaunch.title, relaunch.description]] },
    });
    await hands.submit('createProject', undefined);
    await sees({
      banner: undefined,
      form: { busy: true },
      calls: { createProject: { pending: 1 } },
    });
  }
  expect(await wrong()).toEqual([]);
});

const odd: [string, BackendResponse][] = [
  ['truncated JSON', { status: 200, text: '[{"id":"p1","title":"Web' }],
  ['an HTML page', { status: 200, text: html }],
  ['projects that are no array', { status: 200, body: { projects: [relaunch] } }],
  ['a project without a description', { status: 200, body: [{ id: 'p1', title: 'Website' }] }],
  ['a project without an id', { status: 200, body: [{ title: 'Website', description: 'New' }] }],
  ['nothing', { status: 200, text: '' }],
];

test('[ERROR-8, CHOICE-19, CHOICE-29] the list: each answer that cannot be understood, and each refusal, leaves it empty and is only logged', async () => {
  const { hands, sees, wrong } = await open('/projects');
  let failures = 0;
  for (const [, answer] of [...odd, ...refusals]) {
    await sees({ list: { busy: true }, calls: { listProjects: { pending: 1 } } });
    await hands.answer('listProjects', answer);
    failures++;
    await sees({
      banner: undefined,
      list: { busy: false, rows: [], note: 'No projects to show.' },
      logged: Array.from({ length: failures }, () => 'listProjects'),
    });
    await hands.go('/about');
    await hands.go('/projects');
  }
  expect(await wrong()).toEqual([]);
});

const oddProjects: BackendResponse[] = [
  { status: 201, body: { id: 'p1', title: 'Website' } },
  { status: 201, body: { id: 'p1', description: 'New' } },
  { status: 201, body: { title: 'Website', description: 'New' } },
];

test('[ERROR-7, CHOICE-18] creating: an answer that cannot be understood shows no message and keeps what was typed', async () => {
  const { hands, sees, wrong } = await creating();
  for (const answer of [...odd.map(([, one]) => one), ...oddProjects]) {
    await hands.answer('createProject', answer);
    await sees({ banner: undefined, form: { busy: false, values: typed } });
    await hands.submit('createProject', undefined);
    await sees({ form: { busy: true }, calls: { createProject: { pending: 1 } } });
  }
  expect(await wrong()).toEqual([]);
});

test('[CONST-3] an answer that takes 30 seconds and more is waited for', async () => {
  const { page: at, hands, sees, wrong } = await open('/login', (it) => it.clock.install());
  await hands.submit('login', ['ada@example.org', 'correct horse']);
  await sees({ calls: { login: { pending: 1 } } });
  await at.clock.fastForward(3_600_000);
  await hands.elapse(30_000);
  await sees({ form: { busy: true }, calls: { login: { made: 1, pending: 1 } } });
  await hands.answer('login', { status: 200, body: {} });
  await sees({ path: '/projects' });
  expect(await wrong()).toEqual([]);
});

test('[CHOICE-26] a huge string is shown whole, and the page stays as wide as the window', async () => {
  const huge = 'a'.repeat(100_000);
  const { page: at, hands, sees, wrong } = await creating();
  await hands.answer('createProject', { status: 422, body: { message: huge } });
  await sees({ banner: huge });
  await hands.submit('createProject', [huge, huge]);
  await sees({
    calls: { createProject: { pending: 1, sent: { title: huge, description: huge } } },
  });
  await hands.answer('createProject', {
    status: 201,
    body: { ...office, title: huge, description: huge },
  });
  await sees({ list: { rows: [expect.anything(), [huge, huge]] } });
  const wide = await at.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(wide).toBeLessThanOrEqual(0);
  expect(await wrong()).toEqual([]);
});

test('projects with the same id are all shown', async () => {
  const { hands, sees, wrong } = await open('/projects');
  await sees({ calls: { listProjects: { pending: 1 } } });
  await hands.answer('listProjects', { status: 200, body: [relaunch, { ...office, id: 'p1' }] });
  await sees({
    list: {
      rows: [
        [relaunch.title, relaunch.description],
        [office.title, office.description],
      ],
    },
  });
  expect(await wrong()).toEqual([]);
});

test('script in a title, a description and a message is text', async () => {
  const script = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
  const { page: at, hands, sees, wrong } = await creating();
  await hands.answer('createProject', { status: 422, body: { message: script } });
  await sees({ banner: script });
  await hands.submit('createProject', typed);
  await sees({ calls: { createProject: { pending: 1 } } });
  await hands.answer('createProject', {
    status: 201,
    body: { id: 1, title: script, description: script },
  });
  await sees({ list: { rows: [expect.anything(), [script, script]] } });
  expect(await at.title()).toBe('Projects · Tracker App');
  expect(await wrong()).toEqual([]);
});

test('[CHOICE-7] a double click and Enter at once make one call', async () => {
  const { page: at, hands, sees, wrong } = await open('/login');
  await fillCredentials(at, 'ada@example.org');
  await submit(at, 'Sign in').dblclick({ force: true });
  await field(at, 'Password').press('Enter');
  await sees({ form: { busy: true }, calls: { login: { made: 1, pending: 1 } } });
  await hands.answer('login', { status: 401, body: { message: 'No.' } });
  await sees({ banner: 'No.', calls: { login: { made: 1 } } });
  expect(await wrong()).toEqual([]);
});

test('[CHOICE-28, CHOICE-30] leaving with calls pending and coming back: their answers count, and what was typed is there', async () => {
  const { hands, sees, wrong } = await creating();
  await hands.go('/about');
  await hands.go('/projects');
  await sees({
    form: { busy: true, values: typed },
    calls: { createProject: { made: 1, pending: 1 } },
  });
  await hands.go('/about');
  await hands.answer('createProject', { status: 409, body: { message: 'There is one.' } });
  await hands.go('/projects');
  await sees({ banner: 'There is one.', form: { busy: false, values: typed } });
  expect(await wrong()).toEqual([]);
});

test('[CHOICE-31, CHOICE-32] answers in the wrong order: the created project stays, once, and the stale list counts for nothing', async () => {
  const { hands, sees, wrong } = await open('/projects');
  await sees({ calls: { listProjects: { pending: 1 } } });
  await hands.submit('createProject', typed);
  await sees({ calls: { createProject: { pending: 1 } } });
  await hands.answer('createProject', { status: 201, body: office });
  await sees({
    list: { rows: [[office.title, office.description]] },
    calls: { listProjects: { made: 2, pending: 1 } },
  });
  await hands.answerLate('listProjects', { status: 200, body: [relaunch] });
  await hands.answer('listProjects', { status: 200, body: [relaunch, office] });
  await sees({
    list: {
      busy: false,
      rows: [
        [relaunch.title, relaunch.description],
        [office.title, office.description],
      ],
    },
  });
  expect(await wrong()).toEqual([]);
});

test('[CHOICE-3, CHOICE-5] back and forward with a call pending lead where they say, and nothing is sent twice', async () => {
  const { page: at, hands, sees, wrong } = await open('/about');
  await hands.go('/register');
  await hands.submit('registerUser', ['ada@example.org', 'correct horse']);
  await sees({ calls: { registerUser: { pending: 1 } } });
  await at.goBack();
  await sees({ path: '/about', form: undefined });
  await hands.answer('registerUser', { status: 201, body: { role: 'member' } });
  await expect.poll(() => hands.internals?.()).toMatchObject({ role: 'member' });
  await sees({ path: '/about' });
  await at.goForward();
  await sees({ path: '/register', form: { busy: false }, calls: { registerUser: { made: 1 } } });
  expect(await wrong()).toEqual([]);
});

test('[CHOICE-20] with cookies and storage refused everything works', async () => {
  const { hands, sees, wrong } = await open('/login', (it) =>
    it.addInitScript(() => {
      const refuse = () => {
        throw new DOMException('refused', 'SecurityError');
      };
      Object.defineProperty(Document.prototype, 'cookie', { get: refuse, set: refuse });
      for (const storage of ['localStorage', 'sessionStorage', 'indexedDB']) {
        Object.defineProperty(window, storage, { get: refuse });
      }
    }),
  );
  await hands.submit('login', ['ada@example.org', 'correct horse']);
  await sees({ calls: { login: { pending: 1 } } });
  await hands.answer('login', { status: 200, body: {} });
  await sees({ path: '/projects', calls: { listProjects: { pending: 1 } } });
  await hands.answer('listProjects', { status: 200, body: [relaunch] });
  await sees({ list: { rows: [[relaunch.title, relaunch.description]] } });
  expect(await wrong()).toEqual([]);
});

test('a password manager that fills and submits at once, without an event, signs in', async () => {
  const { page: at, sees, wrong } = await open('/login');
  await at.evaluate(() => {
    const [email, password] = document.querySelectorAll('input');
    email!.value = 'ada@example.org';
    password!.value = 'correct horse';
    document.querySelector('form')!.requestSubmit();
  });
  await sees({
    form: { busy: true },
    calls: { login: { made: 1, sent: { email: 'ada@example.org', password: 'correct horse' } } },
  });
  expect(await wrong()).toEqual([]);
});

test('a screen of the projects stays whole when the network goes in the middle of an answer', async () => {
  const { page: at, hands, sees, wrong } = await open('/projects');
  await sees({ calls: { listProjects: { pending: 1 } } });
  await fillProject(at, 'My title', 'My description');
  await hands.answer('listProjects' satisfies Call, 'none');
  await sees({ list: { note: 'No projects to show.' }, form: { values: typed } });
  expect(await wrong()).toEqual([]);
});
