import type { SimulatedBrowser, ApiCall } from '../http/simulated-browser.ts';
import type { RunContext } from '../run-context.ts';
import {
  Blocked,
  describeResponse,
  isRefusal,
  isSuccess,
  jsonOf,
  describeType,
  statusOf,
  fail,
  whyNoJson,
  type Check,
  skip,
} from './check.ts';
import { anonymousList, expectSession, sharesLists } from './signin.ts';

export type Project = { id: string | number; title: string; description: string };

/** More than any page that a list is usually cut into. */
const many = 101;

export const projects: Check[] = [
  {
    id: 'PROJECT-1',
    level: 'MUST',
    title: 'The list is a JSON array of projects',
    needs:
      'GET /api/v1/projects answers 200 with an array, not wrapped in anything, of objects with "id" (text or number), "title" (text) and "description" (text).',
    statements: ['CALL-8', 'ENTITY-1', 'CHOICE-19'],
    async run(context) {
      await expectSession(context);
      await someProjects(context);
      const list = await someList(context);
      if (!list.outcome.ok) fail(`The list cannot be shown: ${listFault(list)}.`, [list]);
      const visitors = await anonymousList(context);
      if (isSuccess(visitors.exchange) && !visitors.outcome.ok) {
        fail(
          `A visitor's list is answered as a success, and is none: ${listFault(visitors)}. Refuse it with a status from 400 to 499.`,
          [visitors],
        );
      }
    },
  },
  {
    id: 'PROJECT-2',
    level: 'MUST',
    title: 'The answer to creating is the project',
    needs:
      'POST /api/v1/projects answers 201 (any status from 200 to 299 will do) with the created project: "id", "title" and "description", not wrapped in anything.',
    statements: ['CALL-9', 'CREATE-2', 'CHOICE-18'],
    async run(context) {
      await expectSession(context, 'list and create');
      const create = await createdFirst(context);
      if (create.outcome.ok) return expectWhatWasSent([create, await createdSecond(context)]);
      if (isSuccess(create.exchange)) {
        const body = jsonOf(create.exchange.response?.text);
        fail(
          `The answer to creating is no project: ${projectFault(body) ?? 'it cannot be read'}.`,
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
    needs: 'An empty list is 200 with the body []: not null, not 204, not 404, not an object.',
    statements: ['CALL-8', 'CHOICE-19', 'CHOICE-29'],
    async run(context) {
      await expectSession(context);
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
    needs:
      'What POST answered with is in the very next GET, with the same id, title and description; nothing in between may be cached.',
    statements: ['APP-2', 'CALL-8', 'LIST-3'],
    async run(context) {
      const { browser } = await context.signedInUser('ada');
      await someList(context);
      await created(context, browser, 'in the list before');
      const before = await browser.listProjects();
      const made = await created(context, browser, 'in the next list');
      const list = await browser.listProjects();
      const shown = [...before.exchanges, ...made.call.exchanges, ...list.exchanges];
      await expectShown(context, list);
      if (!list.outcome.ok) return;
      const found = list.outcome.value.find(isOne(made.project));
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
    needs:
      'The app puts a new project at the end of the list that it shows; in any other order the rows jump when the screen opens again.',
    statements: ['CREATE-2', 'CHOICE-44', 'LIST-3'],
    async run(context) {
      const { browser } = await context.signedInUser('bob');
      const made: string[] = [];
      for (const name of ['one', 'two', 'three', 'four', 'five']) {
        made.push(String((await created(context, browser, name)).project.id));
      }
      const list = await listed(browser);
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
    needs:
      'No two projects have the same id, not even when they are created at once or with the same text: of two rows with one id the app shows one.',
    statements: ['ENTITY-1', 'CHOICE-32'],
    async run(context) {
      const { browser } = await context.signedInUser('ada');
      const one = await created(context, browser, 'twice the same');
      const { title, description } = one.sent;
      const same = await browser.createProject({ title, description });
      // A rule that titles differ is a backend's own affair.
      const two =
        same.outcome.ok && !isRefusal(same.exchange)
          ? { call: same, project: same.outcome.value }
          : await created(context, browser, 'not the same');
      const three = await created(context, browser, 'something else');
      const { projects: all, call } = await listed(browser);
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
    needs: 'A project has one id: in the answer to creating, and in every list from then on.',
    statements: ['ENTITY-1', 'CHOICE-32'],
    async run(context) {
      const { browser } = await context.signedInUser('ada');
      const { project, call } = await created(context, browser, 'with one id');
      const [first, second] = [await listed(browser), await listed(browser)];
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
    needs: 'Projects belong to the person and not to the session: another browser shows them too.',
    statements: ['APP-2', 'CHOICE-9', 'CHOICE-44'],
    async run(context) {
      const user = await context.signedInUser('ada');
      const other = await context.newSession('bob');
      const { project, call } = await created(context, user.browser, 'to stay');
      const later = await context.signIn(await context.tryRegister('ada'));
      const list = await listed(later.browser);
      if (!list.projects.some(isOne(project))) {
        const others = await listed((await context.newSession('bob')).browser);
        const strayed = others.projects.some(isOne(project));
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
    needs: `There is no paging in the app: all projects come in one answer, ${many} of them as well.`,
    statements: ['CONST-4', 'CALL-8'],
    async run(context) {
      const { browser } = await context.signedInUser('tess');
      await someList(context);
      const made = await createMany(context, browser);
      await expectShown(context, await browser.listProjects());
      const list = await listed(browser);
      const missing = made.filter((one) => !list.projects.some(isOne(one)));
      if (missing.length > 0) {
        await created(context, browser, 'one more');
        const isLonger = (await listed(browser)).projects.length > list.projects.length;
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
    needs:
      'Two creates side by side make two projects, with ids of their own, and both are in the list.',
    statements: ['APP-2', 'CHOICE-32'],
    async run(context) {
      const { browser } = await context.signedInUser('bob');
      await created(context, browser, 'before those at once');
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
      const list = await listed(browser);
      const missing = made.filter(({ project }) => !list.projects.some(isOne(project)));
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
    needs:
      'Calls of several people at once, each with their own cookies, are answered to each for themselves: a session is kept with the request and nowhere else, and no cache stands before it.',
    statements: ['CHOICE-47', 'CALL-3'],
    async run(context) {
      if (await sharesLists(context)) skip('everybody sees the same projects');
      const people = [await context.signedInUser('ada'), await context.signedInUser('bob')];
      const own = new Map<string, Set<string>>();
      for (const user of people) {
        await created(context, user.browser, `own of ${user.name}`);
        own.set(user.name, new Set((await listed(user.browser)).projects.map(idText)));
      }
      const rounds = Array.from({ length: 12 }, (_, index) => people[index % 2]!);
      const lists = await Promise.all(
        rounds.map(async (user) => ({ person: user, list: await user.browser.listProjects() })),
      );
      for (const { person, list } of lists) {
        if (!list.outcome.ok)
          fail(
            `Of ${rounds.length} lists asked for at once, one is answered with ${describeResponse(list.exchange)}.`,
            [list],
          );
        const strange = (list.outcome.value as Project[]).filter(
          (one) => !own.get(person.name)!.has(idText(one)),
        );
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
    needs:
      'When creating is answered with a failure, nothing was created: the person tries again, and has it twice otherwise.',
    statements: ['CREATE-4', 'CHOICE-28'],
    async run(context) {
      const { browser } = await context.signedInUser('bob');
      const before = await listed(browser);
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
      const after = await listed(browser);
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
    needs:
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
    needs:
      'A backend may give the list an ETag; then it is another one whenever the list is another one, and 304 answers only the ETag of the list as it is.',
    statements: ['LIST-3', 'PROJECTS-7'],
    async run(context) {
      const { browser } = await context.signedInUser('bob');
      const etag = (call: ApiCall) =>
        call.exchange.response?.headers.find(([name]) => name === 'etag')?.[1];
      const before = (await listed(browser)).call;
      const given = etag(before);
      if (given === undefined) skip('the list has no ETag');
      await created(context, browser, 'that changes the ETag');
      const after = (await listed(browser)).call;
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
    needs: 'Where each person sees their own projects, whoever is not signed in sees none of them.',
    statements: ['CHOICE-41', 'CHOICE-44', 'CHOICE-47'],
    async run(context) {
      if (await sharesLists(context)) skip('everybody sees the same projects');
      const { browser } = await context.signedInUser('ada');
      const { project } = await created(context, browser, 'of one person alone');
      const visitors = await context.newBrowser('visitor').listProjects();
      if (!visitors.outcome.ok) return;
      if (visitors.outcome.value.some(isOne(project))) {
        fail(
          "People see their own projects, and visitors without an account see everybody's.",
          [visitors],
          'the projects of others',
        );
      }
    },
  },
];

/** Whether another project is this one. That an id is text here and a number there is told once, by PROJECT-7. */
export const isOne =
  ({ id }: Project) =>
  (other: Project) =>
    String(other.id) === String(id);

/** A list with some projects in it, the first that is looked at. */
const someList = (context: RunContext) =>
  context.once('some list', async () => (await context.signedInUser('ada')).browser.listProjects());

/** Ends a check whose list cannot be shown: as its own fault, where a shorter one could. */
async function expectShown(context: RunContext, list: ApiCall) {
  if (list.outcome.ok) return;
  if (isSuccess(list.exchange) && (await someList(context)).outcome.ok)
    fail(`With more projects the list cannot be shown: ${listFault(list)}.`, [list]);
  throw new Blocked(`the list cannot be shown: ${listFault(list)}`);
}

const idText = ({ id }: Project) => JSON.stringify(id);

/** Creates a project of the kit's invention, or ends the check where that does not work. */
export async function created(context: RunContext, browser: SimulatedBrowser, name: string) {
  const sent = context.fixtures.project(name);
  const call = await browser.createProject(sent);
  if (!call.outcome.ok)
    throw new Blocked(`creating a project did not work: ${describeResponse(call.exchange)}`);
  return { call, sent, project: call.outcome.value };
}

export async function listed(browser: SimulatedBrowser) {
  const call = await browser.listProjects();
  if (!call.outcome.ok) throw new Blocked(`the list cannot be shown: ${listFault(call)}`);
  return { call, projects: call.outcome.value as Project[] };
}

export const createdFirst = (context: RunContext) =>
  context.once('created first', async () => {
    const { browser } = await context.signedInUser('ada');
    return browser.createProject(context.fixtures.project('the very first'));
  });

const createdSecond = (context: RunContext) =>
  context.once('created second', async () => {
    const { browser } = await context.signedInUser('ada');
    return browser.createProject(context.fixtures.project('another one'));
  });

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
  await createdFirst(context);
  await createdSecond(context);
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

/** Why the app cannot show a list. */
export function listFault({ exchange }: ApiCall): string {
  const { response } = exchange;
  if (!response || !isSuccess(exchange)) return `it is answered with ${describeResponse(exchange)}`;
  const text = response.text.trim();
  if (text === '') return `${response.status} comes without a body`;
  const body = jsonOf(text);
  if (body === undefined)
    return text.startsWith('<')
      ? 'the body is an HTML page'
      : `the body is no JSON${whyNoJson(exchange)}: ${describeResponse(exchange)}`;
  if (!Array.isArray(body)) {
    const wrapped =
      typeof body === 'object' && body !== null
        ? Object.entries(body).find(([, value]) => Array.isArray(value))?.[0]
        : undefined;
    return wrapped
      ? `the array is wrapped in an object, as "${wrapped}"`
      : `the body is ${describeType(body)} and no array`;
  }
  for (const [index, item] of body.entries()) {
    const fault = projectFault(item);
    if (fault) return `project ${index + 1} of ${body.length}: ${fault}`;
  }
  return describeResponse(exchange);
}

/** Why something is no project to the app. */
export function projectFault(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    return `it is ${describeType(item)} and no object`;
  const { id, title, description } = item as Record<string, unknown>;
  const keys = Object.keys(item);
  const wrapped = Object.entries(item).find(
    ([, value]) => typeof value === 'object' && value !== null && 'title' in value,
  )?.[0];
  if (title === undefined && wrapped) return `it is wrapped in an object, as "${wrapped}"`;
  const other = (key: string) =>
    key in item ? '' : ` (it has ${keys.map((one) => `"${one}"`).join(', ') || 'no keys'})`;
  if (typeof id !== 'string' && typeof id !== 'number')
    return `"id" is ${describeType(id)}, and neither text nor a number${other('id')}`;
  if (typeof title !== 'string')
    return `"title" is ${describeType(title)}, not text${other('title')}`;
  if (typeof description !== 'string')
    return `"description" is ${describeType(description)}, not text${other('description')}`;
  return undefined;
}
