import { expect, test } from 'vitest';
import { createActor, fromPromise, SimulatedClock } from 'xstate';
import { projectsMachine } from '../../../../machines/projects.ts';
import type { NewProject, Outcome, Project } from '../../../../machines/types.ts';
import { deferredCalls } from '../../../support/deferred-calls.ts';

const opened = { type: 'projects.opened' } as const;
const closed = { type: 'projects.closed' } as const;

const relaunch: Project = { id: '1', title: 'Website relaunch', description: 'New pages.' };
const office: Project = { id: '2', title: 'Move to the new office', description: 'Boxes.' };
const draft: NewProject = { title: office.title, description: office.description };
const createProject = { type: 'createProject', project: draft } as const;

const ada = { type: 'user.changed', email: 'ada@example.org' } as const;
const bob = { type: 'user.changed', email: 'bob@example.org' } as const;

const ok = <Value>(value: Value) => ({ ok: true, value }) as const;
const refused = { ok: false, message: 'Title is required.' } as const;

/** Returns the running machine with calls that the test ends, on a simulated clock. */
function projects() {
  const lists = deferredCalls<Outcome<Project[]>>();
  const creations = deferredCalls<Outcome<Project>, NewProject>();
  const clock = new SimulatedClock();
  const actor = createActor(
    projectsMachine.provide({
      actors: {
        listProjects: fromPromise(lists.start),
        createProject: fromPromise(creations.start),
      },
    }),
    { clock },
  );
  const emitted: unknown[] = [];
  actor.on('*', (event) => emitted.push(event));
  actor.start();
  const now = () => {
    const { value, context } = actor.getSnapshot();
    return { ...value, ...context };
  };
  return { actor, lists, creations, clock, emitted, now };
}

/** Returns the machine of an open screen that shows these projects. */
async function showing(...rows: Project[]) {
  const machine = projects();
  machine.actor.send(opened);
  await machine.lists.end(ok(rows));
  expect(machine.now()).toMatchObject({ list: 'loaded', projects: rows });
  return machine;
}

test('starts without a list, a fetch or an error [ENTITY-2]', () => {
  const { lists, now } = projects();
  expect(now()).toMatchObject({
    list: 'idle',
    create: 'idle',
    subscription: 'inactive',
    projects: [],
    createErrorMessage: undefined,
    submitted: undefined,
  });
  expect(lists.inputs).toHaveLength(0);
});

test('fetches the list when the screen opens [LIST-1, PROJECTS-7]', () => {
  const { actor, lists, now } = projects();
  actor.send(opened);
  expect(now()).toMatchObject({ list: 'loading', subscription: 'active' });
  expect(lists.inputs).toHaveLength(1);
});

test('replaces the list by the fetched one and ends loading [LIST-2, LIST-3]', async () => {
  const { actor, lists, now } = await showing(relaunch);
  actor.send(opened);
  await lists.end(ok([office]));
  expect(now()).toMatchObject({ list: 'loaded', projects: [office] });
});

test.each([
  ['is refused', { ok: false, message: 'Down.' } as const],
  ['throws', new SyntaxError('not JSON')],
])(
  'a fetch that %s empties the list and emits the reason [LIST-2, LIST-4, LIST-5]',
  async (_, end) => {
    const { actor, lists, emitted, now } = await showing(relaunch);
    actor.send(opened);
    await (end instanceof Error ? lists.fail(end) : lists.end(end));
    expect(now()).toMatchObject({ list: 'failed', projects: [], createErrorMessage: undefined });
    expect(emitted).toEqual([{ type: 'list.failed', reason: end }]);
  },
);

test('fetches whenever the screen opens and keeps the cached rows meanwhile [CHOICE-30]', async () => {
  const { actor, lists, now } = await showing(relaunch);
  actor.send(closed);
  actor.send(opened);
  expect(lists.inputs).toHaveLength(2);
  expect(now()).toMatchObject({ list: 'loading', projects: [relaunch] });
});

test('aborts the fetch in flight when the screen opens again', async () => {
  const { actor, lists, now } = projects();
  actor.send(opened);
  actor.send(closed);
  actor.send(opened);
  expect(lists.signals[0]?.aborted).toBe(true);
  await lists.end(ok([relaunch]));
  expect(now()).toMatchObject({ list: 'loading', projects: [] });
  await lists.end(ok([office]));
  expect(now()).toMatchObject({ list: 'loaded', projects: [office] });
});

test('clears the error when creating starts [CREATE-1, CHOICE-2]', async () => {
  const { actor, creations, now } = await showing();
  actor.send(createProject);
  await creations.end(refused);
  expect(now().createErrorMessage).toBe(refused.message);
  actor.send(createProject);
  expect(now()).toMatchObject({ create: 'creating', createErrorMessage: undefined });
  expect(creations.inputs).toEqual([draft, draft]);
});

test('appends the created project as the response has it and clears the error [CREATE-2, CREATE-3]', async () => {
  const { actor, creations, emitted, now } = await showing(relaunch);
  actor.send(createProject);
  expect(now().projects).toEqual([relaunch]);
  await creations.end(ok({ ...office, title: 'As the server has it' }));
  expect(now()).toMatchObject({
    create: 'idle',
    projects: [relaunch, { ...office, title: 'As the server has it' }],
    createErrorMessage: undefined,
    submitted: undefined,
  });
  expect(emitted).toEqual([{ type: 'project.created', project: draft }]);
});

test('keeps the message, the list and the submitted project after a refusal [CREATE-4]', async () => {
  const { actor, creations, emitted, now } = await showing(relaunch);
  actor.send(createProject);
  await creations.end(refused);
  expect(now()).toMatchObject({
    create: 'failed',
    createErrorMessage: refused.message,
    projects: [relaunch],
    submitted: draft,
  });
  expect(emitted).toEqual([]);
});

test('stores no message and keeps the submitted project when creating throws [ERROR-7, CHOICE-15]', async () => {
  const { actor, creations, now } = await showing(relaunch);
  actor.send(createProject);
  await creations.fail(new TypeError('The answer is not a project.'));
  expect(now()).toMatchObject({
    create: 'failed',
    createErrorMessage: undefined,
    projects: [relaunch],
    submitted: draft,
  });
});

test('ignores a second submit while a project is being created [CHOICE-7]', async () => {
  const { actor, creations } = await showing();
  actor.send(createProject);
  actor.send({ type: 'createProject', project: { title: 'Another', description: 'One' } });
  expect(creations.inputs).toEqual([draft]);
});

test('fetches the list again when a project is created during the fetch [CHOICE-31]', async () => {
  const { actor, lists, creations, now } = await showing(relaunch);
  actor.send(opened);
  actor.send(createProject);
  await creations.end(ok(office));
  expect(lists.signals[1]?.aborted).toBe(true);
  expect(lists.inputs).toHaveLength(3);
  expect(now()).toMatchObject({ list: 'loading', projects: [relaunch, office] });
  await lists.end(ok([relaunch]));
  expect(now().projects).toEqual([relaunch, office]);
  await lists.end(ok([relaunch, office]));
  expect(now()).toMatchObject({ list: 'loaded', projects: [relaunch, office] });
});

test('does not fetch a loaded list again when a project is created', async () => {
  const { actor, lists, creations } = await showing(relaunch);
  actor.send(createProject);
  await creations.end(ok(office));
  expect(lists.inputs).toHaveLength(1);
});

test('shows a created project once, at the end, when the list has its id [CHOICE-32]', async () => {
  const { actor, creations, now } = await showing(office, relaunch);
  actor.send(createProject);
  await creations.end(ok(office));
  expect(now().projects).toEqual([relaunch, office]);
});

test('caches the rows 500 ms after closing and drops them 60 s later [CONST-8, CONST-6]', async () => {
  const { actor, clock, now } = await showing(relaunch);
  actor.send(closed);
  clock.increment(499);
  expect(now().subscription).toBe('releasing');
  clock.increment(1);
  expect(now()).toMatchObject({ subscription: 'cached', projects: [relaunch] });
  clock.increment(59_999);
  expect(now()).toMatchObject({ subscription: 'cached', projects: [relaunch] });
  clock.increment(1);
  expect(now()).toMatchObject({ subscription: 'inactive', list: 'idle', projects: [] });
});

test.each([
  ['within the 500 ms', 499, 'releasing'],
  ['within the 60 s', 60_499, 'cached'],
])('keeps the rows when the screen opens again %s [CHOICE-33]', async (_, wait, state) => {
  const { actor, clock, now } = await showing(relaunch);
  actor.send(closed);
  clock.increment(Math.min(wait, 500));
  clock.increment(Math.max(wait - 500, 0));
  expect(now().subscription).toBe(state);
  actor.send(opened);
  clock.increment(100_000);
  expect(now()).toMatchObject({ subscription: 'active', projects: [relaunch] });
});

test('fetches the list once while the screen stays open [CHOICE-35, CONST-7]', async () => {
  const { clock, lists } = await showing(relaunch);
  clock.increment(24 * 60 * 60 * 1000);
  expect(lists.inputs).toHaveLength(1);
});

test('ignores a response that arrives after the rows were dropped', async () => {
  const { actor, lists, clock, now } = projects();
  actor.send(opened);
  actor.send(closed);
  clock.increment(500);
  clock.increment(60_000);
  expect(lists.signals[0]?.aborted).toBe(true);
  await lists.end(ok([relaunch]));
  expect(now()).toMatchObject({ list: 'idle', projects: [] });
});

test('drops the rows and fetches the list when another user signs in while it is in view [CHOICE-47, LIST-1]', async () => {
  const { actor, lists, now } = await showing(relaunch);
  actor.send(ada);
  expect(now()).toMatchObject({ list: 'loading', subscription: 'active', projects: [] });
  await lists.end(ok([office]));
  expect(now()).toMatchObject({ list: 'loaded', projects: [office] });
});

test('aborts the list in flight when a user signs in while it is in view [CHOICE-47]', () => {
  const { actor, lists } = projects();
  actor.send(opened);
  actor.send(ada);
  expect(lists.signals.map(({ aborted }) => aborted)).toEqual([true, false]);
});

test('drops the cached rows without a fetch when a user signs in on another screen [CHOICE-47]', async () => {
  const { actor, lists, now } = await showing(relaunch);
  actor.send(closed);
  actor.send(ada);
  expect(now()).toMatchObject({ list: 'idle', subscription: 'releasing', projects: [] });
  expect(lists.inputs).toHaveLength(1);
});

/** Returns the machine of an open screen whose creation was refused after Ada signed in. */
async function refusedForAda() {
  const machine = projects();
  machine.actor.send(ada);
  machine.actor.send(opened);
  machine.actor.send(createProject);
  await machine.creations.end(refused);
  expect(machine.now()).toMatchObject(kept);
  return machine;
}
const kept = { create: 'failed', submitted: draft, createErrorMessage: refused.message };
const discarded = { create: 'idle', submitted: undefined, createErrorMessage: undefined };

test('discards the submitted project and its error when another email signs in [CHOICE-77]', async () => {
  const { actor, emitted, now } = await refusedForAda();
  actor.send(bob);
  expect(now()).toMatchObject(discarded);
  expect(emitted).toEqual([{ type: 'project.discarded' }]);
  // The next project is Bob's, so it is compared with him.
  actor.send(createProject);
  actor.send(bob);
  expect(now()).toMatchObject({ create: 'creating', submitted: draft });
  actor.send(ada);
  expect(now()).toMatchObject(discarded);
});

test('keeps the submitted project and its error when the same email signs in again [CHOICE-78]', async () => {
  const { actor, emitted, now } = await refusedForAda();
  actor.send({ type: 'user.changed', email: 'Ada@Example.org' });
  expect(now()).toMatchObject(kept);
  actor.send(ada);
  expect(now()).toMatchObject(kept);
  expect(emitted).toEqual([]);
});

test('keeps the submitted project at the first sign-in on the page [CHOICE-78]', async () => {
  const { actor, creations, emitted, now } = projects();
  actor.send(opened);
  actor.send(createProject);
  await creations.end(refused);
  actor.send(ada);
  expect(now()).toMatchObject(kept);
  expect(emitted).toEqual([]);
});

test('aborts a pending creation when another email signs in, and ignores its response [CHOICE-77]', async () => {
  const { actor, creations, emitted, now } = projects();
  actor.send(ada);
  actor.send(opened);
  actor.send(createProject);
  actor.send(bob);
  expect(creations.signals[0]?.aborted).toBe(true);
  await creations.end(ok(office));
  expect(now()).toMatchObject({ ...discarded, projects: [] });
  expect(emitted).toEqual([{ type: 'project.discarded' }]);
});

test('continues a pending creation when the same email signs in again [CHOICE-78]', async () => {
  const { actor, creations, now } = projects();
  actor.send(ada);
  actor.send(opened);
  actor.send(createProject);
  actor.send(ada);
  await creations.end(ok(office));
  expect(now()).toMatchObject({ create: 'idle', list: 'loading', projects: [office] });
});

test('discards nothing when another email signs in and no project was submitted [CHOICE-77]', () => {
  const { actor, emitted } = projects();
  actor.send(ada);
  actor.send(opened);
  actor.send(bob);
  expect(emitted).toEqual([]);
});
