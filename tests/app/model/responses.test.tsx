import { waitFor } from '@testing-library/react';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Observation } from '../../../model/driver.ts';
import type { BackendResponse } from '../../../model/outcomes.ts';
import type { Route } from '../../../model/screens.ts';
import { createScreensDriver } from './screens-driver.tsx';
import { longTestMs } from '../../support/time-limits.ts';

vi.setConfig({ testTimeout: longTestMs });

const relaunch = { id: 'p1', title: 'Website relaunch', description: 'New pages.' };
const office = { id: 'p2', title: 'Move to the new office', description: 'Boxes.' };
const rowOf = ({ title, description }: typeof relaunch) => [title, description];
const typed = ['My title', 'My description'];
const credentials = ['ada@example.org', 'correct horse'];

async function open(route: Route) {
  const warnings = (['error', 'warn'] as const).map((level) => vi.spyOn(console, level));
  onTestFinished(() => void vi.restoreAllMocks());
  const driver = await createScreensDriver(route);
  const shows = (part: object): Promise<Observation> =>
    waitFor(async () => {
      const observation = await driver.observe();
      expect(observation).toMatchObject(part);
      return observation;
    });
  /** Returns what was thrown or warned of, and whether the screen is blank. */
  const problems = () => [
    ...warnings.flatMap(({ mock }) => mock.calls),
    ...(document.querySelector('h1') ? [] : ['a blank screen']),
  ];
  return { ...driver, shows, problems };
}

/** Opens the projects screen with one project and submits its form. */
async function openCreating() {
  const app = await open('/projects');
  await app.answer('listProjects', { status: 200, body: [relaunch] });
  await app.shows({ list: { rows: [rowOf(relaunch)] } });
  await app.submit('createProject', typed);
  await app.shows({ form: { busy: true }, calls: { createProject: { pending: 1 } } });
  return app;
}

const html = '<!doctype html><h1>Bad gateway</h1>';
const defaultMessage = 'Internal Server Error';

/** Each failed request, with the message that the banner shows for it. */
const refusals: [BackendResponse, string][] = [
  ['none', defaultMessage],
  ...[400, 401, 404, 422, 429, 500, 503].flatMap((status): [BackendResponse, string][] => [
    [{ status, body: { message: `It is ${status}.` } }, `It is ${status}.`],
    [{ status, body: {} }, defaultMessage],
  ]),
  [{ status: 502, text: html }, defaultMessage],
  [{ status: 422, text: '{"message": "Tit' }, defaultMessage],
];

/** Successes that are neither a list nor a project. */
const oddSuccesses: BackendResponse[] = [
  { status: 200, text: '[{"id":"p1","title":"Web' },
  { status: 200, text: html },
  { status: 200, body: { projects: [relaunch] } },
  { status: 200, body: [{ id: 'p1', title: 'Website' }] },
  { status: 200, body: [{ title: 'Website', description: 'New' }] },
  { status: 200, text: '' },
];

test('signing in shows each refusal, keeps the text and can be retried [ERROR-1, ERROR-2, CHOICE-11, CHOICE-12]', async () => {
  const { submit, answer, shows, problems } = await open('/login');
  await submit('login', credentials);
  for (const [response, banner] of refusals) {
    await shows({ form: { busy: true }, calls: { login: { pending: 1 } } });
    await answer('login', response);
    await shows({ banners: { form: banner }, form: { busy: false, values: credentials } });
    await submit('login', undefined);
  }
  expect(problems()).toEqual([]);
});

test('registering shows no text for a refusal, keeps the text and can be retried [ERROR-4, CHOICE-6]', async () => {
  const { submit, answer, shows, problems } = await open('/register');
  await submit('registerUser', credentials);
  for (const [response] of refusals) {
    await shows({ form: { busy: true }, calls: { registerUser: { pending: 1 } } });
    await answer('registerUser', response);
    await shows({
      path: '/register',
      banners: { form: undefined },
      form: { busy: false, values: credentials },
    });
    await submit('registerUser', undefined);
  }
  expect(problems()).toEqual([]);
});

test('creating shows each refusal, keeps the text and can be retried [ERROR-5, ERROR-6, CHOICE-28]', async () => {
  const { submit, answer, shows, problems } = await openCreating();
  for (const [response, banner] of refusals) {
    await answer('createProject', response);
    await shows({
      banners: { form: banner },
      form: { busy: false, values: typed },
      list: { rows: [rowOf(relaunch)] },
    });
    await submit('createProject', undefined);
    await shows({
      banners: { form: undefined },
      form: { busy: true },
      calls: { createProject: { pending: 1 } },
    });
  }
  expect(problems()).toEqual([]);
});

test('creating shows no message and keeps the text when the response is not a project [ERROR-7, CHOICE-18]', async () => {
  const { submit, answer, shows, problems } = await openCreating();
  const oddProjects: BackendResponse[] = [
    { status: 201, body: { id: 'p1', title: 'Website' } },
    { status: 201, body: { id: 'p1', description: 'New' } },
    { status: 201, body: { title: 'Website', description: 'New' } },
  ];
  for (const response of [...oddSuccesses, ...oddProjects]) {
    await answer('createProject', response);
    await shows({ banners: { form: undefined }, form: { busy: false, values: typed } });
    await submit('createProject', undefined);
    await shows({ form: { busy: true }, calls: { createProject: { pending: 1 } } });
  }
  expect(problems()).toEqual([]);
});

test('the list is empty and the failure only logged after each refusal and each odd success [ERROR-8, CHOICE-19, CHOICE-29]', async () => {
  const { go, answer, shows, problems } = await open('/projects');
  const logged: string[] = [];
  for (const response of [...oddSuccesses, ...refusals.map(([refusal]) => refusal)]) {
    await shows({ list: { busy: true }, calls: { listProjects: { pending: 1 } } });
    await answer('listProjects', response);
    logged.push('listProjects');
    await shows({
      banners: { form: undefined },
      list: { busy: false, rows: [], note: 'No projects to show.' },
      logged,
    });
    await go('/about');
    await go('/projects');
  }
  expect(problems()).toEqual([]);
});

test('the list shows all projects that have the same id', async () => {
  const { answer, shows, problems } = await open('/projects');
  await answer('listProjects', { status: 200, body: [relaunch, { ...office, id: 'p1' }] });
  await shows({ list: { rows: [rowOf(relaunch), rowOf(office)] } });
  expect(problems()).toEqual([]);
});

test('a pending call counts and the text stays when the user leaves and returns [CHOICE-28, CHOICE-30]', async () => {
  const { go, answer, shows, problems } = await openCreating();
  await go('/about');
  await go('/projects');
  await shows({
    form: { busy: true, values: typed },
    calls: { createProject: { made: 1, pending: 1 } },
  });
  await go('/about');
  await answer('createProject', { status: 409, body: { message: 'There is one.' } });
  await go('/projects');
  await shows({ banners: { form: 'There is one.' }, form: { busy: false, values: typed } });
  expect(problems()).toEqual([]);
});

test('a created project stays, once, when the list responses arrive out of order [CHOICE-31, CHOICE-32]', async () => {
  const { submit, answer, answerLate, shows, problems } = await open('/projects');
  await submit('createProject', typed);
  await answer('createProject', { status: 201, body: office });
  await shows({
    list: { rows: [rowOf(office)] },
    calls: { listProjects: { made: 2, pending: 1 } },
  });
  await answerLate('listProjects', { status: 200, body: [relaunch] });
  await answer('listProjects', { status: 200, body: [relaunch, office] });
  await shows({ list: { busy: false, rows: [rowOf(relaunch), rowOf(office)] } });
  expect(problems()).toEqual([]);
});
