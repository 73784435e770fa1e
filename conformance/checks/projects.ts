import type { NewProject, Project } from '../../machines/types.ts';
import { decidingStatuses } from '../../src/api/idempotency-keys.ts';
import { describeResponse, describeStatus, describeType, truncate } from '../problems/describe.ts';
import type { Exchange } from '../http/record.ts';
import {
  emailOf,
  isClientError,
  isSuccess,
  parseJson,
  responseHeader,
  statusOf,
} from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import { messageFault, listFault, projectFault, refusalCause } from '../problems/matchers.ts';
import { asUser, firstVisit } from '../people/visits.ts';
import {
  createListed,
  expectReadableList,
  findProjectLoosely,
  isListShared,
  isSameProject,
  listOrBlock,
  listWith,
  missingFromList,
} from '../requests/lists.ts';
import { createOrBlock, createWithKey } from '../requests/creates.ts';
import { listAsVisitor } from '../requests/visitors.ts';
import {
  Blocked,
  decisiveLast,
  expectSuccess,
  fail,
  failIfAny,
  skip,
  type Hint,
} from '../problems/problem.ts';
import { oncePerRun, type RunContext } from '../people/run-context.ts';
import { must, should, type Check } from './check.ts';
import { expectSameText } from './text.ts';

/** Exceeds the usual page sizes of paginated lists. The longest is 250. */
const manyProjects = 252;

export const projectChecks: Check[] = [
  must('PROJECT-1', {
    title: 'The list is a JSON array of projects',
    requirement:
      'Respond to GET /api/v1/projects with 200 and an array, without a wrapper object. Each item has "id" (string or number), "title" (string) and "description" (string).',
    statements: ['CALL-8', 'ENTITY-1', 'CHOICE-19'],
    after: ['SIGNIN-15'],
    run: asUser('ada', async (context, browser) => {
      await firstVisit(context);
      await browser.createProject(context.fixtures.project('a second one'));
      const list = await browser.listProjects();
      if (!list.outcome.ok) fail(`The app cannot show the list: ${listFault(list)}.`, [list]);
      const visitors = await listAsVisitor(context);
      if (isSuccess(visitors.exchange) && !visitors.outcome.ok)
        fail(`A visitor gets ${describeStatus(visitors.exchange)} and no list.`, [visitors], {
          detail: `In the response, ${listFault(visitors)}. A status 4xx would refuse the visitor.`,
        });
    }),
  }),
  must('PROJECT-2', {
    title: 'The response to creating a project is the project',
    requirement:
      'Respond to POST /api/v1/projects with 201 (any 2xx status works) and the created project: "id", "title" and "description", without a wrapper object.',
    statements: ['CALL-9', 'CREATE-2', 'CHOICE-18'],
    after: ['SIGNIN-15'],
    run: asUser('ada', async (context, browser) => {
      const third = await browser.createProject(context.fixtures.project('a third one'));
      const creates = [(await firstVisit(context)).create, third];
      for (const create of creates) {
        const { exchange, outcome } = create;
        const fault = projectFault(parseJson(exchange.response?.text));
        if (isSuccess(exchange) && !outcome.ok)
          fail(`A new project's response is no project: ${fault ?? 'it cannot be read'}.`, [
            create,
          ]);
        expectSuccess(create, 'Creating a project fails');
      }
      expectSameTexts(creates);
    }),
  }),
  must('PROJECT-3', {
    title: 'The list without projects is []',
    requirement: 'Respond with 200 and [], not with null, 204, 404 or an object.',
    statements: ['CALL-8', 'CHOICE-19', 'CHOICE-29'],
    after: ['PROJECT-1'],
    run: asUser('flo', async (context, browser) => {
      const list = await browser.listProjects();
      const { length } = expectSuccess(list, 'The list of a user without projects fails');
      if (length > 0) skip(`a new user sees ${length} projects`);
    }),
  }),
  must('PROJECT-17', {
    title: 'Browsers can tell all ids apart',
    requirement:
      'Send an id as a string, or as an integer of at most 9007199254740991 (2^53 - 1). Browsers round larger numbers, so that two ids become one.',
    statements: ['ENTITY-1', 'CHOICE-32'],
    after: ['PROJECT-1', 'PROJECT-2', 'PROJECT-3'],
    run: asUser('ada', async (context, browser) => {
      for (const name of ['a first id', 'a second id', 'a third id', 'a fourth id'])
        await createOrBlock(context, browser, name);
      const { call, projects } = await listOrBlock(browser);
      const matches = call.exchange.response!.text.matchAll(/"id"\s*:\s*(-?\d+)/g);
      const sent = Array.from(matches, ([, id]) => id!);
      const isRounded = (id: string) =>
        projects.some((project) => project.id === Number(id)) &&
        sent.some((other) => other !== id && Number(other) === Number(id));
      const [first, second] = new Set(sent.filter(isRounded));
      if (first !== undefined)
        fail(`Ids are beyond 2^53: browsers read ${first} and ${second} as one number.`, [call], {
          detail: `They read both as ${Number(first)}.`,
          userSees: 'one row for two projects',
        });
    }),
  }),
  should('PROJECT-21', {
    title: 'Ids are strings or integers',
    requirement: 'Send an id as a string, or as an integer up to 2^53 without a fraction.',
    statements: ['ENTITY-1'],
    after: ['PROJECT-8'],
    run: asUser('ada', async (context, browser) => {
      const { call, projects } = await listOrBlock(browser);
      const wrong = projects.find(({ id }) => typeof id === 'number' && !Number.isSafeInteger(id));
      if (wrong)
        fail(
          `An id is ${describeType(wrong.id)}${Number.isInteger(wrong.id) ? ', and browsers round numbers beyond 2^53' : ', no string or integer'}.`,
          [call],
        );
    }),
  }),
  must('PROJECT-4', {
    title: 'The next list contains a created project',
    requirement:
      'Store and commit the project before the response, and include it, unchanged, in the next GET. Do not cache the list.',
    statements: ['APP-2', 'CALL-8', 'LIST-3'],
    after: ['PROJECT-11'],
    inspects: true,
    run: asUser('ada', async (context, browser) => {
      await createOrBlock(context, browser, 'in the list before');
      await expectInNextList(context, browser, 'in the next list');
      // Often, because a project may be stored at the moment of the response.
      const other = (await context.signedInUser('flo')).browser;
      for (let count = 1; count <= 10; count++)
        await expectInNextList(context, other, `in next list ${count}`);
      failIfAny(context.reportedTo('PROJECT-4'));
    }),
  }),
  must('PROJECT-6', {
    title: 'Each project has a unique id',
    requirement:
      'Give every project its own id, also to projects created concurrently or with the same text. The app shows one row per id.',
    statements: ['ENTITY-1', 'CHOICE-32'],
    after: ['PROJECT-17'],
    run: asUser('ada', async (context, browser) => {
      const first = await createOrBlock(context, browser, 'twice the same');
      // A backend may require unique titles.
      const second = await browser.createProject(first.sent);
      const third = await createOrBlock(context, browser, 'something else');
      const { projects, call } = await listOrBlock(browser);
      const calls = [first.call, second, third.call];
      const values = calls.flatMap(({ outcome }) => (outcome.ok ? [outcome.value] : []));
      const created = findDuplicateId(values);
      if (created !== undefined)
        fail(
          `Two projects are created with one id, ${truncate(JSON.stringify(created), 40)}.`,
          calls,
          { userSees: 'the second project replaces the first one' },
        );
      const listed = findDuplicateId(projects);
      if (listed !== undefined)
        fail(`The list has an id twice, ${truncate(JSON.stringify(listed), 40)}.`, [call]);
    }),
  }),
  must('PROJECT-23', {
    title: 'A second project with the same title leaves the first one as it is',
    requirement:
      'Identify projects by their id. Store a second project with the same title, also of another user, or reject it with 409 and a message. Never replace the first one.',
    statements: ['ENTITY-1', 'CHOICE-32', 'APP-2'],
    after: ['PROJECT-8'],
    run: asUser('ada', async (context, browser) => {
      const first = await createOrBlock(context, browser, 'of one title');
      const sent = { ...first.sent, description: 'The title is that of another project.' };
      const others = { 'another user': 'bob', 'the same user': 'ada' };
      for (const [user, name] of Object.entries(others)) {
        const other = (await context.signedInUser(name)).browser;
        const second = await other.createProject(sent);
        await createOrBlock(context, other, `of a new title of ${name}`);
        if (statusOf(second.exchange) >= 500)
          fail(
            `A project with the title of one of ${user} gets ${describeStatus(second.exchange)}.`,
            [first.call, second],
            { detail: 'Projects with new titles are created.' },
          );
        const { missing, call } = await listWith(context, browser, [first], (projects, project) =>
          projects.find(isSameProject(project)),
        );
        if (missing.length > 0)
          fail(`A second project with a title, of ${user}, removes the first one from its list.`, [
            first.call,
            second,
            call,
          ]);
      }
    }),
  }),
  must('PROJECT-7', {
    title: 'The id of a project never changes',
    requirement: 'Use one id per project, in the response to creating and in every list.',
    statements: ['ENTITY-1', 'CHOICE-32'],
    after: ['PROJECT-6'],
    run: asUser('ada', async (context, browser) => {
      const { project, call } = await createOrBlock(context, browser, 'with one id');
      const lists = [await listOrBlock(browser), await listOrBlock(browser)];
      const [first, second] = lists.map(
        ({ projects }) => projects.find(({ title }) => title === project.title)?.id,
      );
      if (first === undefined || second === undefined) throw new Blocked(missingFromList);
      if (first !== second || first !== project.id)
        fail(
          `A project has another id ${first === second ? 'in lists than in the response to creating it' : 'in each list'}.`,
          [call, ...lists.map((list) => list.call)],
          {
            detail: `It is ${describeType(project.id)} in the response to creating it, and ${describeType(first)} and ${describeType(second)} in lists.`,
            userSees: 'the same project twice while the app fetches the list',
          },
        );
    }),
  }),
  must('PROJECT-8', {
    title: 'Projects are still there after signing in again',
    requirement:
      'Store projects per user, not per session, so that another browser shows them. Find the user of each request by its cookie, never in a variable that requests share.',
    statements: ['APP-2', 'CHOICE-9', 'CHOICE-44'],
    after: ['PROJECT-4'],
    run: asUser('ada', async (context, browser) => {
      const created = await createListed(context, browser, 'to stay');
      const other = await context.signedInUser('tess');
      const list = await listWith(context, browser, [created]);
      if (list.missing.length > 0)
        fail("After another user's sign-in in another browser, a user's list lacks a project.", [
          created.call,
          other.login,
          list.call,
        ]);
      const { call: theirs } = await createOrBlock(context, other.browser, 'of another browser');
      const next = await listWith(context, browser, [created]);
      if (next.missing.length > 0)
        fail("After another user creates a project, a user's list lacks one.", [
          created.call,
          theirs,
          next.call,
        ]);
      const again = await laterSession(context);
      const { call, missing } = await listWith(context, again.browser, [created]);
      const fault = 'A user who signs in from another browser does not see their projects.';
      if (missing.length > 0) fail(fault, [created.call, again.login, call]);
    }),
  }),
  must('PROJECT-16', {
    title: 'A new project is in the next list of every browser that shows it',
    requirement:
      'Read the list from the store for every request. Do not cache it for a time, per session or per process.',
    statements: ['APP-2', 'LIST-3', 'PROJECTS-7'],
    after: ['PROJECT-8'],
    run: asUser('ada', async (context, browser) => {
      const [reader, user] = (await isListShared(context))
        ? ['another user', await context.signedInUser('bob')]
        : ["the user's second browser", await laterSession(context)];
      // Fills a cache.
      await listOrBlock(user.browser);
      const { project, call, list: own } = await createListed(context, browser, `for ${reader}`);
      const list = await listOrBlock(user.browser);
      if (!findProjectLoosely(list.projects, project))
        fail(`A new project is in the next list of its browser, and not in that of ${reader}.`, [
          call,
          own.call,
          list.call,
        ]);
    }),
  }),
  must('PROJECT-10', {
    title: 'All projects created concurrently are stored',
    requirement: 'Create one project per concurrent request, each with its own id.',
    statements: ['APP-2', 'CHOICE-32'],
    after: ['PROJECT-8'],
    run: asUser('bob', async (context, browser) => {
      await createOrBlock(context, browser, 'before those at once');
      // Ids that are made of the time differ by chance.
      const names = Array.from({ length: 5 }, (_, index) => `${index + 1} of five at once`);
      const calls = await Promise.all(
        names.map((name) => browser.createProject(context.fixtures.project(name))),
      );
      // A control: the backend may limit the projects of a user.
      if (calls.some(({ exchange }) => isClientError(exchange)))
        await createOrBlock(context, browser, 'after those at once');
      const failedCount = calls.filter(({ outcome }) => !outcome.ok).length;
      const failure = `Of ${calls.length} projects created at once, ${failedCount} fail${failedCount === 1 ? 's' : ''}`;
      const cause = { words: 'projects created at once fail', subject: 'a project' };
      const created = calls.map((call) => ({
        call,
        project: expectSuccess(call, failure, calls, { cause }),
      }));
      if (findDuplicateId(created.map(({ project }) => project)) !== undefined)
        fail(`Projects created at once have one id${roundedNote(created)}.`, calls);
      expectSameTexts(calls);
      const { missing, call } = await listWith(context, browser, created);
      if (missing.length === 0) return;
      const listAgain = () => browser.listProjects({ onNewConnection: true });
      const lists = await Promise.all([call, ...calls].map(listAgain));
      const texts = new Set([call, ...lists].map(({ exchange }) => exchange.response?.text));
      fail(
        `Of ${created.length} projects created at once, the list has ${created.length - missing.length}${texts.size > 1 ? '; lists on other connections differ' : ''}.`,
        [...calls, call],
      );
    }),
  }),
  must('PROJECT-11', {
    title: "No user gets the response to another user's request",
    requirement:
      'Respond to concurrent requests by the cookies of each request. Keep the session in the request, never in a global, and put no shared cache in front.',
    statements: ['CHOICE-47', 'CALL-3'],
    after: ['PROJECT-7'],
    async run(context) {
      if (await isListShared(context)) skip('all users see the same projects');
      const users: { browser: SimulatedBrowser; own: Project[]; create: ApiCall }[] = [];
      for (const name of ['ada', 'bob']) {
        const { browser } = await context.signedInUser(name);
        const { call: create } = await createOrBlock(context, browser, `own of ${name}`);
        users.push({ browser, own: (await listOrBlock(browser)).projects, create });
      }
      const requests = Array.from({ length: 12 }, async (_, index) => {
        const { browser, own } = users[index % 2]!;
        // A project that is in neither list may have been stored late, or by another process.
        const others = users[1 - (index % 2)]!.own.filter((each) => !own.some(isSameProject(each)));
        return { others, list: await browser.listProjects() };
      });
      const lists = await Promise.all(requests);
      if (lists.some(({ list }) => statusOf(list.exchange) >= 500))
        // Blocks, unless the backend fails for concurrent requests only. ERR-20 reports the others.
        for (let count = 0; count < 24; count += 1) await listOrBlock(users[0]!.browser);
      for (const { others, list } of lists) {
        const failed = lists.filter((each) => !each.list.outcome.ok).length;
        const failure = `Of ${requests.length} lists at once, ${failed} fail${failed === 1 ? 's' : ''}`;
        if (expectSuccess(list, failure).some((project) => others.some(isSameProject(project))))
          fail(
            'Of two users who request their lists at once, one gets the list of the other.',
            [...users.map(({ create }) => create), list],
            { userSees: "another user's projects" },
          );
      }
    },
  }),
  must('PROJECT-12', {
    title: 'A rejected project is not stored',
    requirement: 'Store nothing when responding with an error, because the user tries again.',
    statements: ['CREATE-4', 'CHOICE-28'],
    after: ['PROJECT-18'],
    run: asUser('fay', async (context, browser) => {
      let isAnyRejected = false;
      // A title that is stored and no text would hide the list of all users.
      const odd = (await isListShared(context)) ? [] : [5, null, ['x']];
      for (const title of ['', ' ', 'x'.repeat(20_000), ...odd]) {
        const name = typeof title === 'string' ? `${title.length} characters` : describeType(title);
        const { title: description } = context.fixtures.project(`whose title is ${name}`);
        const json = { title, description };
        const create = await browser.send('POST', '/api/v1/projects', { json });
        const after = await listOrBlock(browser);
        if (!create.response || isSuccess(create)) continue;
        isAnyRejected = true;
        if (after.projects.some((each) => each.description === description))
          fail(`A project is refused with ${describeStatus(create)}, and the list has it.`, [
            after.call,
            create,
          ]);
      }
      if (!isAnyRejected) skip('the backend rejects no project');
    }),
  }),
  should('PROJECT-13', {
    title: 'A repeated Idempotency-Key is accepted',
    requirement:
      'Browsers may repeat a POST, and so does the app when a user tries again after a lost answer. Respond with the first project again, or ignore the key and create a second one. Do not reject the request, repeat no refusal, and store keys per user. A key has up to 255 characters.',
    statements: ['CHOICE-7', 'CALL-9'],
    after: ['PROJECT-9'],
    run: asUser('bob', async (context, browser) => {
      const {
        call: first,
        project,
        sent,
      } = await createOrBlock(context, browser, 'keyed', 'again');
      const send = (key: string, sender = browser) => createWithKey(context, sender, sent, key);
      const second = await send('again');
      if (!(await send('not repeated')).outcome.ok)
        skip('the backend rejects a second project with the same text');
      const repeated = expectSuccess(
        second,
        'A repeated POST with its Idempotency-Key fails, although its project exists',
        [first],
      );
      const hasId = (projects: Project[]) => projects.find(({ id }) => id === repeated.id);
      const list = await listWith(context, browser, [{ call: second, project: repeated }], hasId);
      if (list.missing.length > 0)
        fail('A repeated Idempotency-Key gets a project that is not in the list.', [
          first,
          list.call,
          second,
        ]);
      const ofVisitor = await send('refused', context.newBrowser('visitor'));
      const ofTwo = await createWithKeyOfAnother(context);
      const headers = { 'idempotency-key': 'long-key-'.repeat(29).slice(0, 255) };
      const long = await browser.createProject(sent, { headers, isAppRequest: false });
      const cases: [key: string, ...ApiCall[]][] = [
        ['one with which a visitor was refused', ofVisitor, await send('refused')],
        ['one that another user has sent', ofTwo.first, ofTwo.second],
        ['one of 255 characters', long],
      ];
      for (const [key, ...calls] of cases)
        if (!calls.at(-1)!.outcome.ok && (await send(`not ${key}`)).outcome.ok)
          expectSuccess(calls.pop()!, `An Idempotency-Key is refused: ${key}`, calls);
      const concurrent = await Promise.all([send('at once'), send('at once')]);
      const [one, two] = concurrent.map(({ outcome }) =>
        outcome.ok ? outcome.value.id : undefined,
      );
      if (repeated.id === project.id && one !== two && one !== undefined && two !== undefined)
        fail('Two requests at once with one Idempotency-Key create two projects.', [
          second,
          ...concurrent,
        ]);
      const failed = concurrent.find(
        ({ exchange }) =>
          statusOf(exchange) >= 500 ||
          (repeated.id === project.id && decidingStatuses.includes(statusOf(exchange))),
      );
      if (failed)
        fail(
          `Of two requests at once with one Idempotency-Key, one gets ${describeStatus(failed.exchange)}.`,
          decisiveLast(concurrent, failed),
          {
            detail: isClientError(failed.exchange)
              ? 'The app chooses a new key after this status, so the next attempt creates a second project.'
              : undefined,
          },
        );
    }),
  }),
  should('PROJECT-19', {
    title: 'An Idempotency-Key with another text does not lose a project',
    requirement:
      'When a key comes with another title or description, create that project or reject it with 409 and a message. Do not respond with the first project.',
    statements: ['CHOICE-90', 'CREATE-2'],
    after: ['PROJECT-8'],
    run: asUser('bob', async (context, browser) => {
      const first = await createOrBlock(context, browser, 'first of its key', 'two texts');
      const others = {
        'another text': context.fixtures.project('second of its key'),
        'another description': { ...first.sent, description: 'Another one.' },
      };
      for (const [texts, other] of Object.entries(others)) {
        const second = await createWithKey(context, browser, other, 'two texts');
        let fault = messageFault(second.exchange);
        if (second.outcome.ok) {
          const project = second.outcome.value;
          const list = await listWith(context, browser, [{ call: second, project }]);
          const isStored = project.id !== first.project.id && list.missing.length === 0;
          fault = isStored ? undefined : 'its project is not stored';
        } else if (!isClientError(second.exchange)) fault = 'that is no refusal';
        if (fault)
          fail(
            `A key with ${texts} gets ${describeStatus(second.exchange)}, and ${fault}.`,
            [first.call, second],
            { cause: refusalCause(second.exchange, `a repeated Idempotency-Key with ${texts}`) },
          );
      }
    }),
  }),
  must('PROJECT-20', {
    title: 'An Idempotency-Key belongs to the user who sent it',
    requirement:
      "Store keys per user. Never respond with another user's project, and store the project of each user.",
    statements: ['CHOICE-91', 'CHOICE-44'],
    after: ['PROJECT-13'],
    async run(context) {
      const { bob, first, created, second } = await createWithKeyOfAnother(context);
      if (!second.outcome.ok) skip(`the second user gets ${describeResponse(second.exchange)}`);
      const project = second.outcome.value;
      const list = await listWith(context, bob.browser, [{ call: second, project }]);
      if (list.missing.length > 0)
        fail(
          project.id === created.id
            ? 'A user whose Idempotency-Key another user has sent gets the project of that user.'
            : 'A user whose Idempotency-Key another user has sent gets a project that is not stored.',
          [first, list.call, second],
        );
    },
  }),
  should('PROJECT-14', {
    title: 'A changed list is sent in full to its old ETag',
    requirement:
      'Change the ETag with the list, and send 304 only to the ETag of the present list.',
    statements: ['LIST-3', 'PROJECTS-7'],
    after: ['PROJECT-8'],
    run: asUser('bob', async (context, browser) => {
      const before = (await listOrBlock(browser)).call;
      const etag = responseHeader(before.exchange, 'etag');
      if (etag === undefined) skip('the list has no ETag');
      await createListed(context, browser, 'that changes the ETag');
      const headers = { 'if-none-match': etag };
      const conditional = await browser.send('GET', '/api/v1/projects', { headers });
      if (statusOf(conditional) === 304)
        fail('The list changed, and its old ETag gets 304, so a cache keeps the old list.', [
          before,
          conditional,
        ]);
      const lists = [];
      for (const name of ['hugo', 'iris']) {
        const user = await context.signedInUser(name);
        lists.push((await createListed(context, user.browser, `of ${name}`)).list.call.exchange);
      }
      const [one, other] = lists as [Exchange, Exchange];
      const etags = lists.map((list) => responseHeader(list, 'etag'));
      if (etags[0] === etags[1] && one.response?.text !== other.response?.text)
        fail('Two users have different lists with one ETag: a cache mixes them up.', [one, other]);
    }),
  }),
  must('PROJECT-24', {
    title: 'A new project never replaces that of another user',
    requirement:
      'Read only the title and the description of a new project. With an id from the request, save() overwrites a project.',
    statements: ['CREATE-2', 'CHOICE-44'],
    after: ['PROJECT-8'],
    async run(context) {
      const [ada, bob] = [await context.signedInUser('ada'), await context.signedInUser('bob')];
      const created = await createListed(context, ada.browser, 'to be kept');
      const json = { ...context.fixtures.project('that takes an id'), id: created.project.id };
      const taking = await bob.browser.send('POST', '/api/v1/projects', { json });
      const { projects, call } = await listOrBlock(ada.browser);
      const kept = findProjectLoosely(projects, created.project);
      if (kept?.title !== created.sent.title)
        fail(
          `A project sent with the id of another user's project ${kept ? 'replaces' : 'removes'} that project.`,
          [created.call, taking, call],
        );
    },
  }),
  should('PROJECT-25', {
    title: 'The backend chooses the id of a new project',
    requirement: 'Ignore an id in the request, as each field that the contract does not name.',
    statements: ['CREATE-2', 'ENTITY-1'],
    after: ['PROJECT-24'],
    run: asUser('bob', async (context, browser) => {
      const { project, call } = await createOrBlock(context, browser, 'with an id of the backend');
      const id = otherId(project.id);
      const json = { ...context.fixtures.project('with a chosen id'), id };
      const create = await browser.send('POST', '/api/v1/projects', { json });
      const created = Object(parseJson(create.response?.text)) as Partial<Project>;
      if (isSuccess(create) && String(created.id) === String(id))
        fail('A request chooses the id of its project.', [call, create]);
    }),
  }),
  must('PROJECT-15', {
    title: 'Visitors do not see the projects of users',
    requirement: 'When each user sees only their own projects, show none of them to visitors.',
    statements: ['CHOICE-41', 'CHOICE-44', 'CHOICE-47'],
    after: ['PROJECT-8'],
    run: asUser('ada', async (context, browser) => {
      if (await isListShared(context)) skip('all users see the same projects');
      const { project } = await createOrBlock(context, browser, 'of one person alone');
      const visitors = await context.newBrowser('visitor').listProjects();
      if (visitors.outcome.ok && visitors.outcome.value.some(isSameProject(project)))
        fail('A visitor without an account sees the projects of users.', [visitors]);
    }),
  }),
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
      await expectReadableList(browser, `project ${creates.length} of a user`, ...creates);
      const { all, lists } = await listFiveTimes(context);
      const missingFrom = ({ projects }: { projects: Project[] }) =>
        all.filter((project) => !findProjectLoosely(projects, project)).length;
      const [shortest, ...others] = lists.toSorted((a, b) => missingFrom(b) - missingFrom(a));
      const { call, projects } = shortest!;
      const count = missingFrom(shortest!);
      const isVarying = others.some((other) => missingFrom(other) < count);
      if (count > 0)
        fail(
          `The list has ${projects.length} projects and lacks ${count} of ${all.length}${isVarying ? ', and the next one differs' : ''}.`,
          [...created.map((each) => each.call), call],
          { hint: isVarying ? undefined : limitHint(projects, all) },
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
      const idsOf = (projects: Project[]) => projects.map(({ id }) => String(id));
      const { all, newest, newestCalls, lists } = await listFiveTimes(context);
      const orders = lists.map(({ projects }) => idsOf(projects));
      const first = new Set(orders[0]);
      const changed = orders.findIndex(
        (order) => order.filter((id) => first.has(id)).join() !== [...first].join(),
      );
      const known = new Set(idsOf(all));
      const order = [...first].filter((id) => known.has(id));
      const expected = idsOf(newest);
      if (changed > 0)
        fail(
          'Five lists in a row have different orders.',
          [...newestCalls, lists[0]!.call, lists[changed]!.call],
          { userSees: 'rows that change places whenever the screen opens' },
        );
      if (order.slice(-expected.length).join() === expected.join()) return;
      const isReversed = order.slice(0, expected.length).join() === expected.toReversed().join();
      fail(
        isReversed
          ? 'The list is ordered from newest to oldest.'
          : `Of ${order.length} projects, the five newest are at ${expected.map((id) => order.indexOf(id) + 1).join(', ')} in the list.`,
        [...newestCalls, lists[0]!.call],
        {
          userSees: 'a new project at the end of the list, and elsewhere when the user comes back',
        },
      );
    },
  }),
  /** May make the list of fay unreadable, so it comes after the other check of fay. */
  must('PROJECT-18', {
    title: 'A value that is not a text never makes the list unreadable',
    requirement:
      'Reject a title or description that is not a string with a status 4xx, or store it as a string. One other value hides all projects of its user.',
    statements: ['ENTITY-1', 'CHOICE-19', 'LIST-4'],
    after: ['PROJECT-8'],
    run: asUser('fay', async (context, browser) => {
      if (await isListShared(context)) skip('all users see the same projects');
      const text = 'Created by the conformance kit';
      await listOrBlock(browser);
      for (const value of [5, true, null, undefined, { text }, [text]]) {
        for (const [field, other] of Object.entries({
          title: 'description',
          description: 'title',
        })) {
          const project = `a project whose ${field} is ${describeType(value)}`;
          const json = { [field]: value, [other]: `${text}: ${project}` };
          const create = await browser.send('POST', '/api/v1/projects', { json });
          await expectReadableList(browser, project, create);
        }
      }
    }),
  }),
  must('PROJECT-22', {
    title: 'A user sees no project of a single other user',
    requirement:
      'Compare the whole id of the user in the query of the list, not a part of it or of the email. Show each user their own projects, or show all users the same.',
    statements: ['CHOICE-44'],
    after: ['SIGNIN-9', 'PROJECT-20'],
    inspects: true,
    async run(context) {
      if (await isListShared(context)) skip('all users see the same projects');
      const { email } = await context.signedInUser('ada');
      await context.tryRegister('namesake', { email: email.replace('@', '@mail.') });
      await context.signedInUser('namesake');
      const { exchanges } = context.http;
      const owners = new Map<string, string>();
      const keyOf = ({ id, title }: Partial<Project>) => `${id} ${title}`;
      for (const exchange of exchanges) {
        const account = signedInAccountOf(exchanges, exchange);
        if (account === undefined) continue;
        const body = parseJson(exchange.response?.text);
        if (exchange.request.method === 'POST') owners.set(keyOf(Object(body)), account);
        const rows = (Array.isArray(body) ? body : []).map((row): Partial<Project> => Object(row));
        const foreign = rows.find(
          (row) =>
            (owners.get(keyOf(row)) ?? account) !== account ||
            (isOfKit(row) && !row.title!.includes(context.fixtures.runId)),
        );
        if (foreign)
          fail('A user sees a project of another user, and not all projects.', [exchange], {
            detail: `${account} sees "${foreign.title}".`,
          });
      }
    },
  }),
];

/** Returns an id of the same form that no project has. */
const otherId = (id: Project['id']) =>
  typeof id === 'number'
    ? id + 1_000_000
    : id.replace(/[\da-f](?=[^\da-f]*$)|$/i, (digit) => (digit === '1' ? '2' : '1'));

/** Returns the email with which a browser signed in before it listed or created projects. */
function signedInAccountOf(exchanges: Exchange[], exchange: Exchange): string | undefined {
  const { request, browserName, startedAfter, cookies } = exchange;
  const isForged = cookies.some(({ filter }) => filter !== undefined);
  if (!isSuccess(exchange) || request.path !== '/api/v1/projects' || isForged) return undefined;
  const last = exchanges
    .slice(0, startedAfter)
    .findLast(
      (each) =>
        each.browserName === browserName &&
        /login|register/.test(each.request.path) &&
        !each.isIgnored,
    );
  // A registration may begin a session of the new account.
  const isSignIn = last && isSuccess(last) && last.request.path.endsWith('/login');
  return isSignIn ? emailOf(last) : undefined;
}

/** Returns whether this is a project of the fixtures of some run of the kit. */
const isOfKit = ({ title, description }: Partial<Project>) =>
  /^Project .+ [a-z\d]{11}$/.test(String(title)) &&
  String(description).startsWith('Created by the conformance kit (');

/** Creates a project. Fails when the next list does not contain it, or contains another text. */
async function expectInNextList(context: RunContext, browser: SimulatedBrowser, name: string) {
  const before = await browser.listProjects();
  const created = await createOrBlock(context, browser, name);
  const { call, project, sent } = created;
  const list = await listWith(context, browser, [created]);
  const evidence = [before, call, list.call];
  const listed = findProjectLoosely(list.projects, project);
  if (listed) return expectSameText(sent, listed, 'the list', evidence);
  const isSame = before.exchange.response?.text === list.call.exchange.response?.text;
  fail(
    isSame
      ? 'A created project is not in the next list, which equals the list before.'
      : 'A created project is not in the next list.',
    evidence,
    { userSees: 'the new project disappears when the user comes back to the screen' },
  );
}

/** Returns ada in a second browser, which signed in later than the first one. */
const laterSession = oncePerRun((context) => context.newSession('ada'));

/** Creates a project of ada, then one of bob with the same Idempotency-Key. */
const createWithKeyOfAnother = oncePerRun(async (context) => {
  const [ada, bob] = [await context.signedInUser('ada'), await context.signedInUser('bob')];
  const name = 'with the key of another user';
  const first = await createOrBlock(context, ada.browser, name, 'of two users');
  const second = await createWithKey(context, bob.browser, first.sent, 'of two users');
  return { bob, first: first.call, created: first.project, second };
});

/** Claims a limit of the list, which a longer list of the run refutes. */
const limitHint = ({ length }: Project[], all: Project[]): Hint => ({
  words: `The list is cut at ${length}, or projects that were created six at a time are lost.`,
  isRefutedBy: ({ response }) => {
    const rows = parseJson(response?.text);
    return Array.isArray(rows) && rows.length > length && rows.length < all.length;
  },
});

/** Explains equal ids that differ on the wire. */
const roundedNote = (created: { project: Project }[]) =>
  created.some(({ project: { id } }) => typeof id === 'number' && !Number.isSafeInteger(id))
    ? ' in browsers, which round numbers beyond 2^53'
    : '';

function findDuplicateId(projects: Project[]): Project['id'] | undefined {
  const ids = projects.map(({ id }) => id);
  return ids.find((id, index) => ids.indexOf(id) !== index);
}

/** Compares the texts of the responses with the requests. */
function expectSameTexts(calls: ApiCall<Project>[]) {
  for (const call of calls) {
    const sent = parseJson(String(call.exchange.request.body)) as NewProject;
    const place = 'the response';
    if (call.outcome.ok) expectSameText(sent, call.outcome.value, place, [call]);
  }
}

/** Creates five more projects of lena, one after the other, and fetches the list five times. */
const listFiveTimes = oncePerRun(async (context) => {
  const { browser, created } = await createManyProjects(context);
  const last = [];
  for (const name of ['one', 'two', 'three', 'four', 'five'])
    last.push(await createOrBlock(context, browser, name));
  const newest = last.map(({ project }) => project);
  const lists = [];
  while (lists.length < 5) lists.push(await listOrBlock(browser));
  const all = [...created, ...last].map(({ project }) => project);
  return { all, newest, newestCalls: last.map(({ call }) => call), lists };
});

/** Creates many projects of lena, six at a time. */
const createManyProjects = oncePerRun(async (context) => {
  const { browser } = await context.signedInUser('lena');
  await listOrBlock(browser);
  const created: Awaited<ReturnType<typeof createOrBlock>>[] = [];
  while (created.length < manyProjects) {
    const batch = Array.from({ length: 6 }, (_, index) =>
      createOrBlock(context, browser, `number ${created.length + index + 1}`),
    );
    created.push(...(await Promise.all(batch)));
  }
  return { browser, created };
});
