import type { NewProject, Project } from '../../machines/types.ts';
import {
  describeListFault,
  describeProjectFault,
  describeResponse,
  describeType,
} from '../describe.ts';
import { isClientError, isSuccess, parseJson, responseHeader, statusOf } from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import {
  createFirstProject,
  createOrBlock,
  createSecondProject,
  describeCreateFailure,
  hasSameId,
  isListShared,
  listAsVisitor,
  listOrBlock,
  missingFromList,
  requireSession,
} from '../probes.ts';
import { Blocked, expectSuccess, fail, skip } from '../verdict.ts';
import type { RunContext } from '../run-context.ts';
import { must, should, type Check } from './check.ts';

/** Exceeds the usual page sizes of paginated lists. */
const manyProjects = 101;

export const projectChecks: Check[] = [
  must('PROJECT-1', {
    title: 'The list is a JSON array of projects',
    requirement:
      'Respond to GET /api/v1/projects with 200 and an array, without a wrapper object. Each item has "id" (string or number), "title" (string) and "description" (string).',
    statements: ['CALL-8', 'ENTITY-1', 'CHOICE-19'],
    async run(context) {
      await requireSession(context);
      await createFirstProject(context);
      await createSecondProject(context);
      const list = await fetchShortList(context);
      if (!list.outcome.ok)
        fail(`The app cannot show the list: ${describeListFault(list)}.`, [list]);
      const visitors = await listAsVisitor(context);
      if (isSuccess(visitors.exchange) && !visitors.outcome.ok)
        fail(
          `The response to a visitor is a success but not a list: ${describeListFault(visitors)}. Reject the request with a status 4xx instead.`,
          [visitors],
        );
    },
  }),
  must('PROJECT-2', {
    title: 'The response to creating a project is the project',
    requirement:
      'Respond to POST /api/v1/projects with 201 (any 2xx status works) and the created project: "id", "title" and "description", without a wrapper object.',
    statements: ['CALL-9', 'CREATE-2', 'CHOICE-18'],
    async run(context) {
      await requireSession(context, 'list and create');
      const create = await createFirstProject(context);
      if (create.outcome.ok) return expectSameTexts([create, await createSecondProject(context)]);
      if (isSuccess(create.exchange)) {
        const body = parseJson(create.exchange.response?.text);
        const fault = body === undefined ? 'the body is not JSON' : describeProjectFault(body);
        fail(`The response is not a project: ${fault ?? 'the app cannot read it'}.`, [create]);
      }
      expectSuccess(create, 'Creating a project fails');
    },
  }),
  must('PROJECT-3', {
    title: 'The list without projects is []',
    requirement: 'Respond with 200 and [], not with null, 204, 404 or an object.',
    statements: ['CALL-8', 'CHOICE-19', 'CHOICE-29'],
    async run(context) {
      await requireSession(context);
      const list = await (await context.signedInUser('flo')).browser.listProjects();
      const { length } = expectSuccess(list, 'The list of a user without projects fails');
      if (length > 0) skip(`a new user sees ${length} projects`);
    },
  }),
  must('PROJECT-4', {
    title: 'The next list contains a created project',
    requirement: 'Include the created project, unchanged, in the next GET. Do not cache the list.',
    statements: ['APP-2', 'CALL-8', 'LIST-3'],
    async run(context) {
      const { browser } = await context.signedInUser('ada');
      await fetchShortList(context);
      await createOrBlock(context, browser, 'in the list before');
      const before = await browser.listProjects();
      const { call, project } = await createOrBlock(context, browser, 'in the next list');
      const list = await browser.listProjects();
      await expectValidList(context, list);
      if (!list.outcome.ok) return;
      const listed = list.outcome.value.find(hasSameId(project));
      if (!listed) {
        const isSame = before.exchange.response?.text === list.exchange.response?.text;
        fail(
          `The next list does not contain a created project (id ${JSON.stringify(project.id)})${isSame ? '. It equals the list before, so it is cached or nothing was stored' : ''}.`,
          [before, call, list],
          'the new project disappears when the user comes back to the screen',
        );
      }
      const changed = (['title', 'description'] as const).find(
        (key) => listed[key] !== project[key],
      );
      if (changed)
        fail(
          `The ${changed} in the list differs from the response to creating: ${describeType(listed[changed])} instead of ${describeType(project[changed])}.`,
          [before, call, list],
          'another text when the user comes back to the screen',
        );
    },
  }),
  should('PROJECT-5', {
    title: 'The list is ordered from oldest to newest',
    requirement:
      'Sort by creation, oldest first. The app appends a new project to the list, so rows would move when the screen opens again.',
    statements: ['CREATE-2', 'CHOICE-44', 'LIST-3'],
    async run(context) {
      const { browser } = await context.signedInUser('bob');
      const created: string[] = [];
      for (const name of ['one', 'two', 'three', 'four', 'five'])
        created.push(String((await createOrBlock(context, browser, name)).project.id));
      const { call, projects } = await listOrBlock(browser);
      const listed = [...new Set(projects.map(({ id }) => String(id)))];
      const order = listed.filter((id) => created.includes(id));
      if (order.length < created.length) throw new Blocked(missingFromList);
      if (order.join() === created.join()) return;
      const isReversed = order.join() === created.toReversed().join();
      fail(
        `The list is ${isReversed ? 'ordered from newest to oldest' : 'not in the order of creation'}.`,
        [call],
        'a new project at the end of the list, and elsewhere when the user comes back',
      );
    },
  }),
  must('PROJECT-6', {
    title: 'Each project has a unique id',
    requirement:
      'Give every project its own id, also to projects created concurrently or with the same text. The app shows one row per id.',
    statements: ['ENTITY-1', 'CHOICE-32'],
    async run(context) {
      const { browser } = await context.signedInUser('ada');
      const first = await createOrBlock(context, browser, 'twice the same');
      const same = await browser.createProject(first.sent);
      // A backend may require unique titles.
      const second =
        same.outcome.ok && !isClientError(same.exchange)
          ? { call: same, project: same.outcome.value }
          : await createOrBlock(context, browser, 'not the same');
      const third = await createOrBlock(context, browser, 'something else');
      const { projects, call } = await listOrBlock(browser);
      const created = findDuplicateId([first, second, third].map(({ project }) => project));
      if (created !== undefined)
        fail(
          `Two projects were created with the id ${JSON.stringify(created)}.`,
          [first.call, second.call, third.call],
          'the second project replaces the first one',
        );
      const listed = findDuplicateId(projects);
      if (listed !== undefined)
        fail(`The list contains the id ${JSON.stringify(listed)} more than once.`, [call]);
    },
  }),
  must('PROJECT-7', {
    title: 'The id of a project never changes',
    requirement: 'Use one id per project, in the response to creating and in every list.',
    statements: ['ENTITY-1', 'CHOICE-32'],
    async run(context) {
      const { browser } = await context.signedInUser('ada');
      const { project, call } = await createOrBlock(context, browser, 'with one id');
      const lists = [await listOrBlock(browser), await listOrBlock(browser)];
      const [first, second] = lists.map(
        ({ projects }) => projects.find(({ title }) => title === project.title)?.id,
      );
      if (first === undefined) throw new Blocked(missingFromList);
      if (first !== second)
        fail(
          `A project has the id ${JSON.stringify(first)} in one list and ${JSON.stringify(second)} in the next one.`,
          [call, ...lists.map((list) => list.call)],
        );
      if (first !== project.id)
        fail(
          `A project was created with the id ${JSON.stringify(project.id)}, but the list has ${JSON.stringify(first)}.`,
          [call, lists[0]!.call],
          'the same project twice while the app fetches the list',
        );
    },
  }),
  must('PROJECT-8', {
    title: 'Projects are still there after signing in again',
    requirement: 'Store projects per user, not per session, so that another browser shows them.',
    statements: ['APP-2', 'CHOICE-9', 'CHOICE-44'],
    async run(context) {
      const user = await context.signedInUser('ada');
      const other = await context.newSession('bob');
      const { project, call } = await createOrBlock(context, user.browser, 'to stay');
      const later = await context.signIn(await context.tryRegister('ada'));
      const list = await listOrBlock(later.browser);
      if (list.projects.some(hasSameId(project))) return;
      const othersList = await listOrBlock((await context.newSession('bob')).browser);
      if (othersList.projects.some(hasSameId(project)))
        fail(
          'A new project belongs to the user who signed in last from any browser: the backend keeps one session for all browsers.',
          [other.login, call, list.call],
          "another user's projects",
        );
      fail(
        'The projects of a user are gone after signing in again from another browser.',
        [call, later.login, list.call],
        list.projects.length > 0 ? 'other projects' : '"No projects to show."',
      );
    },
  }),
  must('PROJECT-9', {
    title: 'The list is complete',
    requirement: `Respond with all projects, ${manyProjects} and more. The app requests no further pages.`,
    statements: ['CONST-4', 'CALL-8'],
    async run(context) {
      const { browser } = await context.signedInUser('tess');
      await fetchShortList(context);
      const created = await createMany(context, browser);
      await expectValidList(context, await browser.listProjects());
      const { call, projects } = await listOrBlock(browser);
      const listed = created.filter((project) => projects.some(hasSameId(project)));
      if (listed.length < created.length) {
        await createOrBlock(context, browser, 'one more');
        const isLonger = (await listOrBlock(browser)).projects.length > projects.length;
        fail(
          `The list has ${listed.length} of ${created.length} projects: ${isLonger ? 'some were lost, because they were created six at a time' : 'it is truncated or paginated'}.`,
          [call],
          `${projects.length} projects, and no sign of the others`,
        );
      }
      return created.length < manyProjects
        ? { note: `only ${created.length} projects could be created` }
        : undefined;
    },
  }),
  must('PROJECT-10', {
    title: 'All projects created concurrently are stored',
    requirement: 'Create one project per concurrent request, each with its own id.',
    statements: ['APP-2', 'CHOICE-32'],
    async run(context) {
      const { browser } = await context.signedInUser('bob');
      await createOrBlock(context, browser, 'before those at once');
      const created = await Promise.all(
        ['at once', 'at once too', 'and a third'].map(async (name) => {
          const sent = context.fixtures.project(name);
          const call = await browser.createProject(sent);
          const failure = 'One of three concurrent requests to create a project fails';
          return { call, sent, project: expectSuccess(call, failure) };
        }),
      );
      const calls = created.map(({ call }) => call);
      if (findDuplicateId(created.map(({ project }) => project)) !== undefined)
        fail('Projects created concurrently have the same id.', calls);
      const isMixedUp = created.some(
        ({ project, sent }) =>
          project.title !== sent.title &&
          created.some((other) => other.sent.title === project.title),
      );
      if (isMixedUp)
        fail('One of three concurrent requests gets the project of another one.', calls);
      const list = await listOrBlock(browser);
      const listed = created.filter(({ project }) => list.projects.some(hasSameId(project)));
      if (listed.length < created.length)
        fail(
          `The list has ${listed.length} of ${created.length} projects that were created concurrently.`,
          [...calls, list.call],
        );
    },
  }),
  must('PROJECT-11', {
    title: "No user gets the response to another user's request",
    requirement:
      'Respond to concurrent requests by the cookies of each request. Keep the session in the request, never in a global, and put no shared cache in front.',
    statements: ['CHOICE-47', 'CALL-3'],
    async run(context) {
      if (await isListShared(context)) skip('all users see the same projects');
      const users = [await context.signedInUser('ada'), await context.signedInUser('bob')];
      const ownIds = new Map<string, Set<string>>();
      for (const { name, browser } of users) {
        await createOrBlock(context, browser, `own of ${name}`);
        const { projects } = await listOrBlock(browser);
        ownIds.set(name, new Set(projects.map(({ id }) => JSON.stringify(id))));
      }
      const requests = Array.from({ length: 12 }, (_, index) => users[index % 2]!);
      const lists = await Promise.all(
        requests.map(async ({ name, browser }) => ({ name, list: await browser.listProjects() })),
      );
      for (const { name, list } of lists) {
        const failure = `One of ${requests.length} concurrent requests for a list fails`;
        const projects = expectSuccess(list, failure);
        if (!projects.every(({ id }) => ownIds.get(name)!.has(JSON.stringify(id))))
          fail(
            'When two users request their lists concurrently, one of them gets the list of the other.',
            [list],
            "another user's projects",
          );
      }
    },
  }),
  must('PROJECT-12', {
    title: 'A rejected project is not stored',
    requirement: 'Store nothing when responding with an error, because the user tries again.',
    statements: ['CREATE-4', 'CHOICE-28'],
    async run(context) {
      const { browser } = await context.signedInUser('bob');
      const before = await listOrBlock(browser);
      const rejected: { project: NewProject; call: ApiCall }[] = [];
      for (const project of [
        { title: '', description: 'A description.' },
        { title: ' ', description: ' ' },
        { title: 'x'.repeat(20_000), description: 'A description.' },
      ]) {
        const call = await browser.createProject(project, { isAppRequest: false });
        if (call.exchange.response && !isSuccess(call.exchange)) rejected.push({ project, call });
      }
      if (rejected.length === 0) skip('the backend rejects no project');
      const after = await listOrBlock(browser);
      for (const { project, call } of rejected) {
        const count = (projects: Project[]) =>
          projects.filter(({ title }) => title === project.title).length;
        if (count(after.projects) > count(before.projects))
          fail(
            `The backend rejects a project with ${describeResponse(call.exchange)}, but the list contains it.`,
            [call, after.call],
          );
      }
    },
  }),
  should('PROJECT-13', {
    title: 'A repeated Idempotency-Key is accepted',
    requirement:
      'Browsers may repeat a POST, and so does the app when a user tries again after a lost answer. Respond with the first project again, or ignore the key and create a second one. Do not reject the request.',
    statements: ['CHOICE-7', 'CALL-9'],
    async run(context) {
      const { browser } = await context.signedInUser('bob');
      const headers = { 'idempotency-key': `key-${context.fixtures.runId}-repeated` };
      const project = context.fixtures.project('with a key');
      const first = await browser.createProject(project, { headers });
      const second = await browser.createProject(project, { headers });
      if (!first.outcome.ok) throw new Blocked(describeCreateFailure(first));
      expectSuccess(
        second,
        'Repeating a POST with the same Idempotency-Key and body fails, although the project exists',
        [first],
      );
    },
  }),
  should('PROJECT-14', {
    title: 'The ETag changes with the list',
    requirement: 'If the list has an ETag, change it with the list. Send 304 only when unchanged.',
    statements: ['LIST-3', 'PROJECTS-7'],
    async run(context) {
      const { browser } = await context.signedInUser('bob');
      const before = (await listOrBlock(browser)).call;
      const etag = responseHeader(before.exchange, 'etag');
      if (etag === undefined) skip('the list has no ETag');
      await createOrBlock(context, browser, 'that changes the ETag');
      const after = (await listOrBlock(browser)).call;
      if (responseHeader(after.exchange, 'etag') === etag)
        fail(`The list changed, but its ETag is still ${etag}.`, [before, after]);
      const headers = { 'if-none-match': etag };
      const conditional = await browser.send('GET', '/api/v1/projects', { headers });
      if (statusOf(conditional) === 304)
        fail(
          'The backend responds with 304 to the ETag of an older list, so the browser would not fetch the new one.',
          [before, conditional],
        );
    },
  }),
  must('PROJECT-15', {
    title: 'Visitors do not see the projects of users',
    requirement: 'When each user sees only their own projects, show none of them to visitors.',
    statements: ['CHOICE-41', 'CHOICE-44', 'CHOICE-47'],
    async run(context) {
      if (await isListShared(context)) skip('all users see the same projects');
      const { browser } = await context.signedInUser('ada');
      const { project } = await createOrBlock(context, browser, 'of one person alone');
      const visitors = await context.newBrowser('visitor').listProjects();
      if (visitors.outcome.ok && visitors.outcome.value.some(hasSameId(project)))
        fail(
          'Users see only their own projects, but visitors without an account see the projects of all users.',
          [visitors],
          "other users' projects",
        );
    },
  }),
];

/** Fetches ada's list while it is short. */
const fetchShortList = (context: RunContext) =>
  context.once('short list', async () =>
    (await context.signedInUser('ada')).browser.listProjects(),
  );

/** Fails when the app cannot show a long list. Blocks when it cannot show a short one either. */
async function expectValidList(context: RunContext, list: ApiCall) {
  if (list.outcome.ok) return;
  const fault = describeListFault(list);
  if (isSuccess(list.exchange) && (await fetchShortList(context)).outcome.ok)
    fail(`The app cannot show a list with more projects: ${fault}.`, [list]);
  throw new Blocked(`the list cannot be shown: ${fault}`);
}

function findDuplicateId(projects: Project[]): Project['id'] | undefined {
  const ids = projects.map(({ id }) => id);
  return ids.find((id, index) => ids.indexOf(id) !== index);
}

/** Compares the texts of the responses with the request. They are ASCII: TEXT checks the rest. */
function expectSameTexts(calls: ApiCall<Project>[]) {
  for (const call of calls) {
    if (!call.outcome.ok) continue;
    const sent = parseJson(String(call.exchange.request.body)) as Project;
    const { title, description } = call.outcome.value;
    if (title === sent.title && description === sent.description) continue;
    fail(
      title === sent.description && description === sent.title
        ? 'Title and description are swapped in the response to creating a project.'
        : `The response to creating a project has another text than the request: ${describeType(title)} instead of ${describeType(sent.title)}.`,
      [call],
    );
  }
}

/** Creates `manyProjects` projects, six at a time. Stops when the backend throttles. */
async function createMany(context: RunContext, browser: SimulatedBrowser): Promise<Project[]> {
  const created: Project[] = [];
  let count = 0;
  const createSequentially = async () => {
    while (count < manyProjects) {
      const call = await browser.createProject(context.fixtures.project(`number ${++count}`));
      if (call.outcome.ok) {
        created.push(call.outcome.value);
        continue;
      }
      count = manyProjects;
      if (statusOf(call.exchange) !== 429) throw new Blocked(describeCreateFailure(call));
    }
  };
  // Not Promise.all, because no request may be in flight when the next check starts.
  const results = await Promise.allSettled(Array.from({ length: 6 }, createSequentially));
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
  return created;
}
