import type { Check } from './check.ts';
import type { Project } from '../../machines/types.ts';
import {
  describeListFault,
  describeProjectFault,
  describeResponse,
  describeType,
} from '../describe.ts';
import { isClientError, isSuccess, parseJson, statusOf } from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import {
  createFirstProject,
  createOrBlock,
  createSecondProject,
  hasIdOf,
  isListShared,
  listAsVisitor,
  listOrBlock,
  requireSession,
} from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import { Blocked, fail, skip } from '../verdict.ts';

/** More than any page that a list is usually cut into. */
const many = 101;

export const projectChecks: Check[] = [
  {
    id: 'PROJECT-1',
    level: 'MUST',
    title: 'The list is a JSON array of projects',
    requirement:
      'GET /api/v1/projects answers 200 with an array, not wrapped in anything, of objects with "id" (text or number), "title" (text) and "description" (text).',
    statements: ['CALL-8', 'ENTITY-1', 'CHOICE-19'],
    async run(context) {
      await requireSession(context);
      await someProjects(context);
      const list = await someList(context);
      if (!list.outcome.ok) fail(`The list cannot be shown: ${describeListFault(list)}.`, [list]);
      const visitors = await listAsVisitor(context);
      if (isSuccess(visitors.exchange) && !visitors.outcome.ok) {
        fail(
          `A visitor's list is answered as a success, and is none: ${describeListFault(visitors)}. Refuse it with a status from 400 to 499.`,
          [visitors],
        );
      }
    },
  },
  {
    id: 'PROJECT-2',
    level: 'MUST',
    title: 'The answer to creating is the project',
    requirement:
      'POST /api/v1/projects answers 201 (any status from 200 to 299 will do) with the created project: "id", "title" and "description", not wrapped in anything.',
    statements: ['CALL-9', 'CREATE-2', 'CHOICE-18'],
    async run(context) {
      await requireSession(context, 'list and create');
      const create = await createFirstProject(context);
      if (create.outcome.ok) return expectWhatWasSent([create, await createSecondProject(context)]);
      if (isSuccess(create.exchange)) {
        const body = parseJson(create.exchange.response?.text);
        fail(
          `The answer to creating is no project: ${describeProjectFault(body) ?? 'it cannot be read'}.`,
          [create],
        );
      }
      fail(`Creating a project is answered with ${describeResponse(create.exchange)}.`, [create]);
    },
  },
  {
    id: 'PROJECT-3',
    level: 'MUST',
    title: 'Without projects the list is []',
    requirement:
      'An empty list is 200 with the body []: not null, not 204, not 404, not an object.',
    statements: ['CALL-8', 'CHOICE-19', 'CHOICE-29'],
    async run(context) {
      await requireSession(context);
      const user = await context.signedInUser('flo');
      const list = await user.browser.listProjects();
      if (list.outcome.ok) {
        const { length } = list.outcome.value as unknown[];
        if (length === 0) return;
        skip(`a new person sees ${length} projects at once`);
      }
      fail(
        `The list of somebody who has no projects is answered with ${describeResponse(list.exchange)}.`,
        [list],
      );
    },
  },
  {
    id: 'PROJECT-4',
    level: 'MUST',
    title: 'A created project is in the next list',
    requirement:
      'What POST answered with is in the very next GET, with the same id, title and description; nothing in between may be cached.',
    statements: ['APP-2', 'CALL-8', 'LIST-3'],
    async run(context) {
      const { browser } = await context.signedInUser('ada');
      await someList(context);
      await createOrBlock(context, browser, 'in the list before');
      const before = await browser.listProjects();
      const made = await createOrBlock(context, browser, 'in the next list');
      const list = await browser.listProjects();
      const shown = [...before.exchanges, ...made.call.exchanges, ...list.exchanges];
      await expectShown(context, list);
      if (!list.outcome.ok) return;
      const found = list.outcome.value.find(hasIdOf(made.project));
      if (!found) {
        const same = before.exchange.response?.text === list.exchange.response?.text;
        fail(
          `A project that was created (id ${JSON.stringify(made.project.id)}) is not in the next list${same ? ', which is the same as before: it is cached, or nothing was kept' : ''}.`,
          shown,
          'after coming back to the projects, the new one is gone',
        );
      }
      const other = (['title', 'description'] as const).find(
        (key) => found[key] !== made.project[key],
      );
      if (other) {
        fail(
          `The list has another ${other} than the answer to creating had: ${describeType(found[other])} instead of ${describeType(made.project[other])}.`,
          shown,
          'another text after coming back to the projects',
        );
      }
    },
  },
  {
    id: 'PROJECT-5',
    level: 'SHOULD',
    title: 'The list is oldest first',
    requirement:
      'The app puts a new project at the end of the list that it shows; in any other order the rows jump when the screen opens again.',
    statements: ['CREATE-2', 'CHOICE-44', 'LIST-3'],
    async run(context) {
      const { browser } = await context.signedInUser('bob');
      const made: string[] = [];
      for (const name of ['one', 'two', 'three', 'four', 'five']) {
        made.push(String((await createOrBlock(context, browser, name)).project.id));
      }
      const list = await listOrBlock(browser);
      const shown = list.projects.map(({ id }) => String(id));
      const order = [...new Set(shown)].filter((id) => made.includes(id));
      if (order.length < made.length)
        throw new Blocked('created projects are missing from the list');
      if (order.join() === made.join()) return;
      const reversed = order.join() === made.toReversed().join();
      fail(
        `The list is ${reversed ? 'newest first' : 'in another order than the projects were created in'}.`,
        [list.call],
        'a new project at the end of the list, and somewhere else after coming back',
      );
    },
  },
  {
    id: 'PROJECT-6',
    level: 'MUST',
    title: 'Each project has an id of its own',
    requirement:
      'No two projects have the same id, not even when they are created at once or with the same text: of two rows with one id the app shows one.',
    statements: ['ENTITY-1', 'CHOICE-32'],
    async run(context) {
      const { browser } = await context.signedInUser('ada');
      const one = await createOrBlock(context, browser, 'twice the same');
      const { title, description } = one.sent;
      const same = await browser.createProject({ title, description });
      // A rule that titles differ is a backend's own affair.
      const two =
        same.outcome.ok && !isClientError(same.exchange)
          ? { call: same, project: same.outcome.value }
          : await createOrBlock(context, browser, 'not the same');
      const three = await createOrBlock(context, browser, 'something else');
      const { projects: all, call } = await listOrBlock(browser);
      const twice = (ids: (string | number)[]) =>
        ids.find((id, index) => ids.indexOf(id) !== index);
      const answered = twice([one, two, three].map(({ project }) => project.id));
      if (answered !== undefined) {
        fail(
          `Two projects were created with the id ${JSON.stringify(answered)}.`,
          [one.call, two.call, three.call],
          'the second project takes the place of the first one',
        );
      }
      const shown = twice(all.map(({ id }) => id));
      if (shown !== undefined)
        fail(`The list has the id ${JSON.stringify(shown)} more than once.`, [call]);
    },
  },
  {
    id: 'PROJECT-7',
    level: 'MUST',
    title: 'A project keeps its id',
    requirement: 'A project has one id: in the answer to creating, and in every list from then on.',
    statements: ['ENTITY-1', 'CHOICE-32'],
    async run(context) {
      const { browser } = await context.signedInUser('ada');
      const { project, call } = await createOrBlock(context, browser, 'with one id');
      const [first, second] = [await listOrBlock(browser), await listOrBlock(browser)];
      const [here, there] = [first, second].map(
        ({ projects: all }) => all.find(({ title }) => title === project.title)?.id,
      );
      if (here === undefined) throw new Blocked('a created project is missing from the list');
      if (here !== there)
        fail(
          `A project has the id ${JSON.stringify(here)} in one list and ${JSON.stringify(there)} in the next one.`,
          [call, first.call, second.call],
        );
      if (here !== project.id) {
        fail(
          `A project was created with the id ${JSON.stringify(project.id)}, and the list has it with ${JSON.stringify(here)}.`,
          [call, first.call],
          'while the list is being fetched, the same project twice',
        );
      }
    },
  },
  {
    id: 'PROJECT-8',
    level: 'MUST',
    title: 'Projects are still there after signing in anew',
    requirement:
      'Projects belong to the person and not to the session: another browser shows them too.',
    statements: ['APP-2', 'CHOICE-9', 'CHOICE-44'],
    async run(context) {
      const user = await context.signedInUser('ada');
      const other = await context.newSession('bob');
      const { project, call } = await createOrBlock(context, user.browser, 'to stay');
      const later = await context.signIn(await context.tryRegister('ada'));
      const list = await listOrBlock(later.browser);
      if (!list.projects.some(hasIdOf(project))) {
        const others = await listOrBlock((await context.newSession('bob')).browser);
        const strayed = others.projects.some(hasIdOf(project));
        if (strayed) {
          fail(
            'What one person created, after another one signed in elsewhere, belongs to the other one: the session is kept for the whole server, and not for each browser.',
            [...other.login.exchanges, ...call.exchanges, ...list.call.exchanges],
            "somebody else's projects",
          );
        }
        fail(
          'Projects are gone once their person signs in anew, in another browser.',
          [...call.exchanges, ...later.login.exchanges, ...list.call.exchanges],
          list.projects.length > 0 ? 'other projects' : '"No projects to show."',
        );
      }
    },
  },
  {
    id: 'PROJECT-9',
    level: 'MUST',
    title: 'The list comes whole',
    requirement: `There is no paging in the app: all projects come in one answer, ${many} of them as well.`,
    statements: ['CONST-4', 'CALL-8'],
    async run(context) {
      const { browser } = await context.signedInUser('tess');
      await someList(context);
      const made = await createMany(context, browser);
      await expectShown(context, await browser.listProjects());
      const list = await listOrBlock(browser);
      const missing = made.filter((one) => !list.projects.some(hasIdOf(one)));
      if (missing.length > 0) {
        await createOrBlock(context, browser, 'one more');
        const isLonger = (await listOrBlock(browser)).projects.length > list.projects.length;
        fail(
          `Of ${made.length} projects the list has ${made.length - missing.length}: ${isLonger ? 'some were lost, as they were created six at a time' : 'it is cut off, or paged'}.`,
          [list.call],
          `${list.projects.length} projects, and no sign of the others`,
        );
      }
      return made.length < many
        ? { note: `only ${made.length} projects could be made` }
        : undefined;
    },
  },
  {
    id: 'PROJECT-10',
    level: 'MUST',
    title: 'Projects created at once are all kept',
    requirement:
      'Two creates side by side make two projects, with ids of their own, and both are in the list.',
    statements: ['APP-2', 'CHOICE-32'],
    async run(context) {
      const { browser } = await context.signedInUser('bob');
      await createOrBlock(context, browser, 'before those at once');
      const made = await Promise.all(
        ['at once', 'at once too', 'and a third'].map(async (name) => {
          const sent = context.fixtures.project(name);
          const call = await browser.createProject(sent);
          if (!call.outcome.ok)
            fail(
              `Of projects that are created at once, one is answered with ${describeResponse(call.exchange)}.`,
              [call],
            );
          return { call, sent, project: call.outcome.value };
        }),
      );
      const ids = made.map(({ project }) => project.id);
      const calls = made.map(({ call }) => call);
      if (new Set(ids).size < ids.length)
        fail('Projects that were created at once have the same id.', calls);
      const mixed = made.find(
        ({ project, sent }) =>
          project.title !== sent.title && made.some((other) => other.sent.title === project.title),
      );
      if (mixed)
        fail(
          'Of projects that were created at once, one is answered with the text of another.',
          calls,
        );
      const list = await listOrBlock(browser);
      const missing = made.filter(({ project }) => !list.projects.some(hasIdOf(project)));
      if (missing.length > 0)
        fail(
          `Of ${ids.length} projects that were created at once, the list has ${ids.length - missing.length}.`,
          [...calls, list.call],
        );
    },
  },
  {
    id: 'PROJECT-11',
    level: 'MUST',
    title: "Nobody gets the answer to somebody else's call",
    requirement:
      'Calls of several people at once, each with their own cookies, are answered to each for themselves: a session is kept with the request and nowhere else, and no cache stands before it.',
    statements: ['CHOICE-47', 'CALL-3'],
    async run(context) {
      if (await isListShared(context)) skip('everybody sees the same projects');
      const people = [await context.signedInUser('ada'), await context.signedInUser('bob')];
      const own = new Map<string, Set<string>>();
      for (const user of people) {
        await createOrBlock(context, user.browser, `own of ${user.name}`);
        own.set(user.name, new Set((await listOrBlock(user.browser)).projects.map(idText)));
      }
      const rounds = Array.from({ length: 12 }, (_, index) => people[index % 2]!);
      const lists = await Promise.all(
        rounds.map(async (user) => ({ user, list: await user.browser.listProjects() })),
      );
      for (const { user, list } of lists) {
        if (!list.outcome.ok)
          fail(
            `Of ${rounds.length} lists asked for at once, one is answered with ${describeResponse(list.exchange)}.`,
            [list],
          );
        const strange = list.outcome.value.filter((one) => !own.get(user.name)!.has(idText(one)));
        if (strange.length > 0)
          fail(
            'Of lists asked for by two people at once, one went to the wrong person.',
            [list],
            "somebody else's projects",
          );
      }
    },
  },
  {
    id: 'PROJECT-12',
    level: 'MUST',
    title: 'A project that was refused is not kept',
    requirement:
      'When creating is answered with a failure, nothing was created: the person tries again, and has it twice otherwise.',
    statements: ['CREATE-4', 'CHOICE-28'],
    async run(context) {
      const { browser } = await context.signedInUser('bob');
      const before = await listOrBlock(browser);
      const refused: ApiCall[] = [];
      for (const [title, description] of [
        ['', 'A description.'],
        [' ', ' '],
        ['x'.repeat(20_000), 'A description.'],
      ] as const) {
        const call = await browser.createProject({ title, description }, { isAppRequest: false });
        if (call.exchange.response && !isSuccess(call.exchange)) refused.push(call);
      }
      if (refused.length === 0) skip('no project was refused');
      const after = await listOrBlock(browser);
      const kept = refused.find(({ exchange }) => {
        const { title } = JSON.parse(String(exchange.request.body)) as Project;
        const count = (all: Project[]) => all.filter((one) => one.title === title).length;
        return count(after.projects) > count(before.projects);
      });
      if (kept)
        fail(
          `A project was refused with ${describeResponse(kept.exchange)}, and is in the list all the same.`,
          [kept, after.call],
        );
    },
  },
  {
    id: 'PROJECT-13',
    level: 'SHOULD',
    title: 'A repeated Idempotency-Key makes no trouble',
    requirement:
      'Browsers repeat a POST by themselves. A backend that honours the key answers the repetition with the project that the first one made; one that ignores it makes a second project. It does not refuse.',
    statements: ['CHOICE-7', 'CALL-9'],
    async run(context) {
      const { browser } = await context.signedInUser('bob');
      const headers = { 'idempotency-key': `key-${context.fixtures.runId}-repeated` };
      const { title, description } = context.fixtures.project('with a key');
      const [one, two] = [
        await browser.createProject({ title, description }, { headers }),
        await browser.createProject({ title, description }, { headers }),
      ];
      if (!one.outcome.ok)
        throw new Blocked(`creating a project did not work: ${describeResponse(one.exchange)}`);
      if (!two.outcome.ok)
        fail(
          `A POST that a browser repeats, with the same Idempotency-Key and the same body, is answered with ${describeResponse(two.exchange)}, although the project exists.`,
          [one, two],
        );
    },
  },
  {
    id: 'PROJECT-14',
    level: 'SHOULD',
    title: 'An ETag changes with the list',
    requirement:
      'A backend may give the list an ETag; then it is another one whenever the list is another one, and 304 answers only the ETag of the list as it is.',
    statements: ['LIST-3', 'PROJECTS-7'],
    async run(context) {
      const { browser } = await context.signedInUser('bob');
      const etag = (call: ApiCall) =>
        call.exchange.response?.headers.find(([name]) => name === 'etag')?.[1];
      const before = (await listOrBlock(browser)).call;
      const given = etag(before);
      if (given === undefined) skip('the list has no ETag');
      await createOrBlock(context, browser, 'that changes the ETag');
      const after = (await listOrBlock(browser)).call;
      if (etag(after) === given)
        fail(`The list is another one and its ETag is still ${given}.`, [before, after]);
      const asked = await browser.send('GET', '/api/v1/projects', {
        headers: { 'if-none-match': given },
      });
      if (statusOf(asked) === 304)
        fail(
          'If-None-Match with the ETag of an older list is answered with 304: the list would not be fetched again.',
          [before, asked],
        );
    },
  },
  {
    id: 'PROJECT-15',
    level: 'MUST',
    title: 'What people see for themselves, visitors do not see',
    requirement:
      'Where each person sees their own projects, whoever is not signed in sees none of them.',
    statements: ['CHOICE-41', 'CHOICE-44', 'CHOICE-47'],
    async run(context) {
      if (await isListShared(context)) skip('everybody sees the same projects');
      const { browser } = await context.signedInUser('ada');
      const { project } = await createOrBlock(context, browser, 'of one person alone');
      const visitors = await context.newBrowser('visitor').listProjects();
      if (!visitors.outcome.ok) return;
      if (visitors.outcome.value.some(hasIdOf(project))) {
        fail(
          "People see their own projects, and visitors without an account see everybody's.",
          [visitors],
          'the projects of others',
        );
      }
    },
  },
];

/** A list with some projects in it, the first that is looked at. */
const someList = (context: RunContext) =>
  context.once('some list', async () => (await context.signedInUser('ada')).browser.listProjects());

/** Ends a check whose list cannot be shown: as its own fault, where a shorter one could. */
async function expectShown(context: RunContext, list: ApiCall) {
  if (list.outcome.ok) return;
  if (isSuccess(list.exchange) && (await someList(context)).outcome.ok)
    fail(`With more projects the list cannot be shown: ${describeListFault(list)}.`, [list]);
  throw new Blocked(`the list cannot be shown: ${describeListFault(list)}`);
}

const idText = ({ id }: Project) => JSON.stringify(id);

/** Plain texts, so whatever is answered in their place is no matter of characters. */
function expectWhatWasSent(calls: ApiCall<Project>[]) {
  for (const call of calls) {
    if (!call.outcome.ok) continue;
    const sent = JSON.parse(String(call.exchange.request.body)) as Project;
    const { title, description } = call.outcome.value;
    if (title === sent.title && description === sent.description) continue;
    const isSwapped = title === sent.description && description === sent.title;
    fail(
      isSwapped
        ? 'The answer to creating has title and description swapped.'
        : `The answer to creating is another project than the one that was sent: ${describeType(title)} instead of ${describeType(sent.title)}.`,
      [call],
    );
  }
}

/** Two projects of ada's, as far as they can be had. */
const someProjects = async (context: RunContext) => {
  await createFirstProject(context);
  await createSecondProject(context);
};

async function createMany(context: RunContext, browser: SimulatedBrowser): Promise<Project[]> {
  const made: Project[] = [];
  let next = 0;
  const some = async () => {
    while (next < many) {
      const call = await browser.createProject(context.fixtures.project(`number ${++next}`));
      if (statusOf(call.exchange) === 429) next = many;
      else if (!call.outcome.ok) {
        next = many;
        throw new Blocked(`creating a project did not work: ${describeResponse(call.exchange)}`);
      } else made.push(call.outcome.value);
    }
  };
  // Whatever goes wrong with one of them, none is still on its way when the next check begins.
  const ended = await Promise.allSettled(Array.from({ length: 6 }, some));
  const wrong = ended.find(({ status }) => status === 'rejected');
  if (wrong) throw (wrong as PromiseRejectedResult).reason;
  return made;
}
