import type { NewProject, Project } from '../../machines/types.ts';
import { Blocked } from '../http/record.ts';
import { maxLengthOf, projectFields, sharesText, textNames } from '../http/project-texts.ts';
import { isClientError, isSuccess, parseJson, statusOf } from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import type { RunContext } from '../people/run-context.ts';
import { asUser, firstVisit } from '../people/visits.ts';
import { countIn, describeStatus, plural } from '../problems/describe.ts';
import { atOnceRequirement } from '../problems/fail-on-faults.ts';
import { listFault } from '../problems/matchers.ts';
import { expectSuccess, fail, failIfAny, skip } from '../problems/problem.ts';
import { createOrBlock } from '../requests/creates.ts';
import {
  createListed,
  expectListed,
  findByIdOrText,
  listOrBlock,
  listWith,
} from '../requests/lists.ts';
import { isListShared } from '../requests/owners.ts';
import {
  blockOnFlapping,
  expectPlain,
  isUnauthorized,
  onNewConnection,
} from '../requests/sign-ins.ts';
import { listAsVisitor } from '../requests/visitors.ts';
import { type Check, must } from './check.ts';
import { findDuplicateId } from './project-ids.ts';
import { createTextSearch, expectSameText } from './sent-texts.ts';
import { laterSession } from './project-users.ts';

export const projectListChecks: Check[] = [
  must('PROJECT-1', {
    title: 'The list is a JSON array of projects',
    requirement: `Respond to GET /api/v1/projects with 200 and an array, without a wrapper object. Each item has ${projectFields}.`,
    statements: ['CALL-8', 'ENTITY-1', 'CHOICE-19'],
    after: ['SIGNIN-15'],
    run: asUser('ada', async (context, browser) => {
      const { create, signedInBrowser } = await firstVisit(context);
      const second = await browser.createProject(context.fixtures.project('a second one'));
      const list = await browser.listProjects();
      if (isUnauthorized(list)) await blockOnFlapping(list, signedInBrowser, browser);
      await expectPlain(context, list, 'The app cannot show the list', [create, second]);
      const visitors = await listAsVisitor(context);
      if (isSuccess(visitors.exchange) && !visitors.outcome.ok)
        fail(`A visitor gets ${describeStatus(visitors.exchange)} and no list.`, [visitors], {
          detail: `In the response, ${listFault(visitors)}. A status 4xx would refuse the visitor.`,
        });
    }),
  }),
  must('PROJECT-2', {
    title: 'The response to creating a project is the project',
    requirement: `Respond to POST /api/v1/projects with 201 (any 2xx status works) and the created project: ${projectFields}, without a wrapper object.`,
    statements: ['CALL-9', 'CREATE-2', 'CHOICE-18'],
    after: ['SIGNIN-15'],
    run: asUser('ada', async (context, browser) => {
      const third = await browser.createProject(context.fixtures.project('a third one'));
      const { create: first, signedInBrowser } = await firstVisit(context);
      const creates = [first, third];
      for (const create of creates) {
        if (isUnauthorized(create)) await blockOnFlapping(create, signedInBrowser, browser);
        const failure = isSuccess(create.exchange)
          ? "A new project's response is no project"
          : 'Creating a project fails';
        await expectPlain(context, create, failure);
      }
      expectSameTexts(context, creates);
    }),
  }),
  must('PROJECT-3', {
    title: 'The list without projects is []',
    requirement: 'Respond with 200 and [], not with null, 204, 404 or an object.',
    statements: ['CALL-8', 'CHOICE-19', 'CHOICE-29'],
    after: ['PROJECT-1'],
    run: asUser('flo', async (context, browser) => {
      const list = await browser.listProjects();
      if (isUnauthorized(list)) await blockOnFlapping(list, browser);
      const { length } = expectSuccess(list, 'The list of a user without projects fails');
      if (length > 0) skip(`a new user sees ${length} projects`);
    }),
  }),
  must('PROJECT-4', {
    title: 'The next list contains a created project',
    requirement:
      'Store and commit the project before the response, and include it once, unchanged, in the next GET. Do not cache the list, and end the transaction of each read.',
    statements: ['APP-2', 'CALL-8', 'LIST-3'],
    after: ['PROJECT-6'],
    inspects: true,
    // With few projects: a list that lacks some of many is the finding of PROJECT-9.
    run: asUser('flo', async (context, browser) => {
      // Often, because a project may be stored at the moment of the response.
      try {
        for (let count = 1; count <= 8; count++) await expectInNextList(context, browser, count);
      } catch (error) {
        if (error instanceof Blocked) failIfAny(context.reportedTo('PROJECT-4'));
        throw error;
      }
      failIfAny(context.reportedTo('PROJECT-4'));
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
        : ['the second browser', await laterSession(context)];
      const listInEachProcess = () =>
        Promise.all(Array.from({ length: 8 }, () => user.browser.listProjects(onNewConnection)));
      // Fills the caches.
      await listInEachProcess();
      const { project, call, list: own } = await createListed(context, browser, `for ${reader}`);
      const stale = (await listInEachProcess()).find(
        ({ outcome }) => outcome.ok && !findByIdOrText(outcome.value, project),
      );
      if (stale)
        fail(
          `A new project is in the next list of its browser, and that of ${reader} lacks it.`,
          [call, own.call, stale],
          { lacks: project },
        );
    }),
  }),
  must('PROJECT-10', {
    title: 'All projects created concurrently are stored',
    requirement:
      'Create one project per concurrent request, each with its own id. Accept the XSRF token of a session as often as it is sent.',
    statements: ['APP-2', 'CHOICE-32'],
    after: ['PROJECT-16'],
    run: asUser('bob', async (context, browser) => {
      await createOrBlock(context, browser, 'before those at once');
      // Ids that are made of the time differ by chance.
      const names = Array.from({ length: 8 }, (_, index) => `${index + 1} of eight at once`);
      const calls = await Promise.all(
        names.map((name) => browser.createProject(context.fixtures.project(name), onNewConnection)),
      );
      // A control: the backend may limit the projects of a user.
      if (calls.some(({ exchange }) => isClientError(exchange)))
        await createOrBlock(context, (await context.newSession('bob')).browser, 'after those');
      const failed = countIn(calls, ({ outcome }) => !outcome.ok);
      const failure = `Creating projects at once fails in ${failed.words} requests`;
      const cause = { words: 'projects created at once fail', subject: 'a project' };
      const more = calls.some(({ exchange }) => statusOf(exchange) >= 500)
        ? { cause, requirement: atOnceRequirement }
        : { cause };
      const created = calls.map((call) => ({
        call,
        project: expectSuccess(call, failure, calls, more),
      }));
      if (findDuplicateId(created.map(({ project }) => project)) !== undefined)
        fail('Projects created at once have one id.', calls);
      expectSameTexts(context, calls);
      const describe = ({ length }: unknown[]) =>
        `The list lacks ${length} of ${created.length} projects created at once.`;
      await expectListed(context, browser, created, describe, calls);
      return expectBesideLists(context, browser);
    }),
  }),
  must('PROJECT-12', {
    title: 'A rejected project is not stored',
    requirement: 'Store nothing when responding with an error, because the user tries again.',
    statements: ['CREATE-4', 'CHOICE-28'],
    after: ['PROJECT-8'],
    run: asUser('fay', async (context, browser) => {
      const wrongTexts = textNames.flatMap((name) =>
        ['', ' ', 'x'.repeat(maxLengthOf(name) + 1)].map((value) => ({ [name]: value })),
      );
      const { call: plain } = await createOrBlock(context, browser, 'before odd texts');
      const before = await listOrBlock(context, browser);
      const known = new Set(before.projects.map(({ id }) => String(id)));
      const rejected = [];
      for (const [index, wrong] of wrongTexts.entries()) {
        const json = { ...context.fixtures.project(`with an odd text ${index}`), ...wrong };
        const create = await browser.send('POST', '/api/v1/projects', { json });
        const { id } = Object(parseJson(create.response?.text)) as Partial<Project>;
        if (isSuccess(create)) known.add(String(id));
        else if (create.response) rejected.push({ create, json });
      }
      if (rejected.length === 0) skip('the backend rejects no project');
      // What is kept of a refusal may be stored with the next project.
      await createOrBlock(context, browser, 'after odd texts');
      const { call, projects } = await listOrBlock(context, browser);
      const added = projects.filter(({ id }) => !known.has(String(id)));
      const findForeignText = createTextSearch(context.http.exchanges);
      const stored = rejected.find(({ create, json }) =>
        added.some((each) => sharesText(each, json) && !findForeignText(each, [create], create)),
      );
      if (stored)
        fail(
          `A project is refused with ${describeStatus(stored.create)}, and the list has it.`,
          [call, stored.create],
          { plain },
        );
    }),
  }),
];

/** Fails if two users cannot list while they create projects. Both may need the same locks. */
async function expectBesideLists(context: RunContext, browser: SimulatedBrowser) {
  const { browser: other } = await context.signedInUser('ada');
  const calls = await Promise.all(
    [browser, other, browser, other].flatMap((each, index): Promise<ApiCall>[] => [
      each.createProject(context.fixtures.project(`beside list ${index + 1}`), onNewConnection),
      each.listProjects(onNewConnection),
    ]),
  );
  const { found, words } = countIn(calls, ({ exchange }) => !isSuccess(exchange));
  const areCreates = found.every(({ operation }) => operation === 'createProject');
  const what = areCreates ? 'Creating at once, of two users,' : 'Creating and listing at once';
  for (const call of found)
    expectSuccess(call, `${what} fails in ${words} requests`, calls, {
      requirement: atOnceRequirement,
    });
}

/** Creates a project. Fails when the next list does not contain it, or contains another text. */
async function expectInNextList(context: RunContext, browser: SimulatedBrowser, count: number) {
  const created = await createOrBlock(context, browser, `in next list ${count}`);
  const { call, project, sent } = created;
  const list = await listWith(context, browser, [created]);
  const exchanges = [call, list.call];
  const listed = findByIdOrText(list.projects, project);
  if (list.projects.filter((each) => sharesText(each, sent)).length > 1)
    fail('One request creates a project that is twice in the next list.', exchanges);
  if (!listed)
    fail('The next list lacks a created project.', exchanges, {
      detail: `It has ${plural(list.projects.length, 'project')}. The user has just created ${count}.`,
      lacks: project,
      userSees: 'the new project disappears when the user comes back to the screen',
    });
  expectSameText(context, sent, listed, 'the list', exchanges);
}

function expectSameTexts(context: RunContext, calls: ApiCall<Project>[]) {
  for (const call of calls) {
    const sent = parseJson(String(call.exchange.request.body)) as NewProject;
    const place = 'the response';
    if (call.outcome.ok) expectSameText(context, sent, call.outcome.value, place, [call]);
  }
}
