import type { Project } from '../../machines/types.ts';
import { hasSucceeded, parseJson } from '../http/response.ts';
import type { SignedInUser } from '../people/accounts.ts';
import { oncePerRun, type RunContext } from '../people/run-context.ts';
import { countIn, describeStatus, truncate } from '../problems/describe.ts';
import { createProblem, fail } from '../problems/problem.ts';
import { createOrBlock } from '../requests/creates.ts';
import {
  expectReadableList,
  findByIdOrText,
  isSameProject,
  listOrBlock,
} from '../requests/lists.ts';
import { blockIfForeign } from '../requests/owners.ts';
import { blockOnFlapping, isUnauthorized } from '../requests/sign-ins.ts';
import { type Check, must, should } from './check.ts';
import { findDuplicateId } from './project-ids.ts';

/** Exceeds the usual page sizes of paginated lists. The longest is 250. */
const manyProjects = 252;
const batchSize = 6;

const noneRequirement =
  'Store and commit each project before the response, and do not cache the list.';

const scatteredRequirement =
  'Store each project in a row of its own. What is read, changed and written back needs a lock, or requests at once undo each other.';

export const longListChecks: Check[] = [
  must('PROJECT-9', {
    title: 'The list is complete',
    requirement:
      'Respond with all projects, 251 and more, to every request. The app requests no further pages.',
    statements: ['CONST-4', 'CALL-8'],
    after: ['PROJECT-23', 'PROJECT-10'],
    async run(context) {
      const { browser, created } = await createManyProjects(context);
      const { call: last } = await createOrBlock(context, browser, 'last of many');
      const creates = [...created.map((each) => each.call), last].map(({ exchange }) => exchange);
      await expectReadableList(context, browser, `project ${creates.length} of a user`, ...creates);
      const { all, calls, lists } = await listFiveTimes(context);
      const twice = findDuplicateId(all);
      if (twice !== undefined)
        fail(
          `Of ${all.length} projects, most created six at a time, two have one id.`,
          calls.filter(({ outcome }) => outcome.ok && outcome.value.id === twice),
          { requirement: 'Choose the id in one step with storing it, so that none is twice.' },
        );
      const missingFrom = ({ projects }: { projects: Project[] }) =>
        countIn(all, (project) => !findByIdOrText(projects, project));
      const countOf = (list: (typeof lists)[number]) => missingFrom(list).found.length;
      const [shortest, ...others] = lists.toSorted((a, b) => countOf(b) - countOf(a));
      const { call, projects } = shortest!;
      const { found: missing, words } = missingFrom(shortest!);
      const [lacks] = missing;
      const isLost = isScattered(all, missing);
      const more = others.some((other) => countOf(other) < countOf(shortest!))
        ? ', and the next one differs'
        : isLost
          ? ', some of each six at once'
          : '';
      if (!lacks) return;
      await blockIfForeign(context);
      fail(
        `The list has ${projects.length} projects and lacks ${words}${more}.`,
        [...created.map((each) => each.call), call],
        {
          lacks,
          ...(isLost && { requirement: scatteredRequirement }),
          ...(missing.length === all.length && { requirement: noneRequirement }),
        },
      );
    },
  }),
  should('PROJECT-5', {
    title: 'The list is ordered from oldest to newest',
    requirement:
      'Sort by creation, oldest first: by a number that grows, or by a time so fine that no two are equal. The app appends a new project to the list, so rows would move when the screen opens again.',
    statements: ['CREATE-2', 'CHOICE-44', 'LIST-3'],
    after: ['PROJECT-9'],
    async run(context) {
      const { lists } = await listFiveTimes(context);
      const orders = lists.map(({ projects }) => projects.map(({ id }) => String(id)));
      const first = new Set(orders[0]);
      const changed = orders.findIndex(
        (order) => order.filter((id) => first.has(id)).join() !== [...first].join(),
      );
      if (changed > 0)
        fail('Five lists in a row have different orders.', [lists[0]!.call, lists[changed]!.call], {
          userSees: 'rows that change places whenever the screen opens',
        });
      for (const name of ['lena', 'ada'])
        await expectOrder(context, await context.signedInUser(name));
    },
  }),
];

/**
 * Fails if the list has two projects in another order than that of their creation. Lena has the
 * most. Those of ada are as old as the run, so that their ids can have different lengths.
 */
async function expectOrder(context: RunContext, { name, browser }: SignedInUser) {
  const { call, projects } = await listOrBlock(context, browser);
  const { exchanges } = context.http;
  const created = exchanges.flatMap((exchange) => {
    const isOwn = exchange.person === name && hasSucceeded(exchange, '/projects');
    const project = Object(parseJson(exchange.response?.text)) as Project;
    const place = isOwn ? projects.findIndex(isSameProject(project)) : -1;
    return place < 0 ? [] : { exchange, project, place };
  });
  const index = created.findLastIndex(({ exchange, place }, at) => {
    const before = created[at - 1];
    return (
      before && exchanges.indexOf(before.exchange) < exchange.startedAfter && place < before.place
    );
  });
  const [earlier, later] = [created[index - 1], created[index]];
  if (earlier && later)
    fail(
      `The list has project ${idText(later.project)} before ${idText(earlier.project)}, which is older.`,
      [earlier.exchange, later.exchange, call],
      {
        detail: isSorted(projects.map(idText)) ? 'The list is in the order of its ids.' : undefined,
        userSees: 'a new project at the end of the list, and elsewhere when the user comes back',
      },
    );
}

const idText = ({ id }: Project) => truncate(JSON.stringify(id), 20);

const isSorted = (texts: string[]) => texts.toSorted().join() === texts.join();

/** Creates five more projects of lena, one after the other, and fetches the list five times. */
const listFiveTimes = oncePerRun(async (context) => {
  const { browser, created } = await createManyProjects(context);
  const last = [];
  for (const name of ['one', 'two', 'three', 'four', 'five'])
    last.push(await createOrBlock(context, browser, name));
  const lists = [];
  while (lists.length < 5) lists.push(await listOrBlock(context, browser));
  const all = [...created, ...last];
  return {
    all: all.map(({ project }) => project),
    calls: all.map(({ call }) => call),
    lists,
  };
});

/** Creates many projects of lena, six at a time. Reports a session that ends by that. */
const createManyProjects = oncePerRun(async (context) => {
  const { browser, login } = await context.signedInUser('lena');
  await listOrBlock(context, browser);
  const created: Awaited<ReturnType<typeof createOrBlock>>[] = [];
  while (created.length < manyProjects) {
    const batch = Array.from({ length: batchSize }, (_, index) =>
      createOrBlock(context, browser, `number ${created.length + index + 1}`),
    );
    created.push(
      ...(await Promise.all(batch).catch(async (error: unknown) => {
        const list = await browser.listProjects();
        if (!isUnauthorized(list) || created.length === 0) throw error;
        await blockOnFlapping(list, browser);
        const words = `A session ends after ${created.length} new projects without a pause`;
        const problem = createProblem(`${words}: ${describeStatus(list.exchange)}.`, [login, list]);
        context.reportTo('SIGNIN-13', problem);
        throw error;
      })),
    );
  }
  return { browser, created };
});

/** Returns whether some of several batches are missing: those at once replaced each other. */
function isScattered(all: Project[], missing: Project[]): boolean {
  const lost = all.map((project) => missing.includes(project));
  const batches = Array.from({ length: manyProjects / batchSize }, (_, index) =>
    lost.slice(index * batchSize, (index + 1) * batchSize),
  );
  return batches.filter((batch) => batch.includes(true) && batch.includes(false)).length > 2;
}
