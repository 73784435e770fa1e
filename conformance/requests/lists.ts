import type { Project } from '../../machines/types.ts';
import { lateMs } from '../http/clock.ts';
import { Blocked, type Exchange, type Reason } from '../http/record.ts';
import { nameOf, projectFields, sharesText, textNames } from '../http/project-texts.ts';
import { hasSucceeded, isClientError, isSuccess, parseJson, statusOf } from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import { oncePerArguments, type RunContext } from '../people/run-context.ts';
import { countIn, plural, truncate } from '../problems/describe.ts';
import { findListFault, listFault } from '../problems/matchers.ts';
import { CheckFailed, createProblem, fail } from '../problems/problem.ts';
import { createOrBlock } from './creates.ts';
import { blockIfForeign } from './owners.ts';
import { onNewConnection } from './sign-ins.ts';

/** Compares texts too, because two users may have projects with the same id. */
export const isSameProject = (project: Project) => (other: Project) =>
  String(other.id) === String(project.id) && sharesText(project, other);

/** Finds a project in a list of its user, also if its id or a text changed, but not both. */
export const findByIdOrText = (projects: Project[], project: Project): Project | undefined =>
  projects.find(isSameProject(project)) ??
  projects.find(({ id }) => String(id) === String(project.id)) ??
  projects.find((each) => textNames.every((name) => each[name] === project[name]));

/** Returns what blocks a check that needs a list that the app cannot show. */
export const unshown = (call: ApiCall) =>
  isSuccess(call.exchange)
    ? new Blocked({ words: `the list cannot be shown: ${listFault(call)}`, checks: ['PROJECT-1'] })
    : new Blocked({ words: 'the list cannot be shown', exchange: call.exchange });

/**
 * Fetches the list. Blocks the check when the app cannot show it. If the app could show an earlier
 * list of the browser, PROJECT-4 reports what was created since, once per browser.
 */
export async function listOrBlock(context: RunContext, browser: SimulatedBrowser) {
  const call = await browser.listProjects();
  if (call.outcome.ok) return { call, projects: call.outcome.value };
  const own = browser.http.exchanges.filter(
    ({ browserName, request }) =>
      browserName === browser.name && request.path === call.exchange.request.path,
  );
  const last = own
    .slice(0, -1)
    .findLastIndex(
      (each) => each.request.method === 'GET' && Array.isArray(parseJson(each.response?.text)),
    );
  if (!isSuccess(call.exchange) || last === -1) throw unshown(call);
  const since = own.slice(last);
  const create = since.findLast(({ request }) => request.method === 'POST');
  const name = nameOf(parseJson(String(create?.request.body)));
  const subject = name === undefined ? 'a request' : `the project "${truncate(name, 12)}"`;
  if (!unreadable.has(browser))
    context.reportTo('PROJECT-4', await createUnreadable(context, browser, call, since, subject));
  throw new Blocked({
    words: `the list cannot be shown any more: ${listFault(call)}`,
    checks: ['PROJECT-4'],
  });
}

/** The browsers for which it is reported that their list became unreadable. */
const unreadable = new WeakSet<SimulatedBrowser>();

/** Returns the list of a new user after so many plain projects, or the first that is unreadable. */
const listPlain = oncePerArguments(async (context, length: number) => {
  const { browser, ...user } = await context.signedInUser(`plain${length}`);
  let { list } = user;
  let count = 0;
  for (; list.outcome.ok && count < length; count++) {
    await createOrBlock(context, browser, `plain number ${count}`);
    list = await browser.listProjects();
  }
  return { plain: list, count };
});

/** Creates the problem of a request after which the app cannot show a list, or of a long list. */
async function createUnreadable(
  context: RunContext,
  browser: SimulatedBrowser,
  list: ApiCall,
  exchanges: (Exchange | ApiCall)[],
  request: string,
) {
  unreadable.add(browser);
  const creates = context.http.exchanges.filter(
    ({ person, request: { method } }) => person === browser.person && method === 'POST',
  );
  const { length } = creates.filter((each) => hasSucceeded(each, '/projects'));
  const control = await listPlain(context, length).catch(() => undefined);
  const { plain, count = 0 } = control ?? {};
  const isLong = plain?.outcome.ok !== true && count > 0;
  const subject = isLong ? plural(count, 'plain project') : request;
  const { fault } = findListFault(list);
  return createProblem(`The app can show no list after ${subject}.`, isLong ? [plain] : exchanges, {
    detail: `The list: ${listFault(list)}.`,
    userSees: 'an empty list, although nothing was deleted',
    plain,
    cause: {
      words: `requests make the list of their user unreadable: ${fault}`,
      subject,
      requirement: `Respond with an array of all that is stored, whose items each have ${projectFields}.`,
    },
  });
}

/** What blocks a check that needs a project in the list. */
export const missingFromList: Reason = {
  words: 'the list does not contain a created project',
  checks: ['PROJECT-4', 'PROJECT-9'],
};

const eachRequest =
  'Read the user from each request alone, not from a variable of a thread or process, and the list from a store that all processes share.';

type Created = { call: ApiCall; project: Project };

/**
 * Fetches the list, and returns which of these projects it lacks. Fails if a later list has such a
 * project, because that project is not lost. The check of the next list fails then, too.
 */
export async function listWith(
  context: RunContext,
  browser: SimulatedBrowser,
  created: Created[],
  find = findByIdOrText,
  first?: Awaited<ReturnType<typeof listOrBlock>>,
) {
  const list = first ?? (await listOrBlock(context, browser));
  const missing = created.filter(({ project }) => !find(list.projects, project));
  if (missing.length === 0) return { ...list, missing };
  await context.http.clock.sleep(lateMs);
  const { call: later } = await listOrBlock(context, browser);
  const again = () => browser.listProjects(onNewConnection);
  const lists = [later, ...(await Promise.all([1, 2, 3, 4, 5, 6].map(again)))];
  await blockIfForeign(context);
  const has = ({ project }: Created) =>
    countIn(lists, ({ outcome }) => outcome.ok && find(outcome.value, project));
  const late = missing.find((each) => has(each).found.length > 0);
  if (!late) return { ...list, missing };
  const { found, words } = has(late);
  const isLate = found.length === lists.length;
  const description = isLate
    ? 'A list lacks a project right after its creation, and has it 1 s later.'
    : `A new project is in ${words} lists of its user, on new connections.`;
  const problem = createProblem(description, [late.call, found.at(-1), list.call], {
    userSees: 'the new project disappears when the user comes back to the screen',
    lacks: late.project,
    cause: {
      words: isLate
        ? 'lists lack a project right after its creation and have it 1 s later'
        : 'projects are in the list of their user now and then',
      subject: `"${truncate(nameOf(late.project)!, 40)}"`,
      ...(isLate ? {} : { requirement: eachRequest }),
    },
  });
  context.reportTo('PROJECT-4', problem);
  throw new CheckFailed([problem]);
}

/**
 * Fails if the list lacks a project of what was special. Blocks the check if it also lacks a plain
 * one, the control. The description gets the projects that are missing.
 */
export async function expectListed(
  context: RunContext,
  browser: SimulatedBrowser,
  created: Created[],
  describe: string | ((missing: Created[]) => string),
  before: ApiCall[],
  find = findByIdOrText,
) {
  const { missing, call } = await listWith(context, browser, created, find);
  const [first] = missing;
  if (!first) return;
  await createListed(context, browser, 'beside a lost one');
  const description = typeof describe === 'string' ? describe : describe(missing);
  fail(description, [...before, call], { lacks: first.project });
}

/** Creates a project. Blocks the check unless the next list contains it. */
export async function createListed(context: RunContext, browser: SimulatedBrowser, name: string) {
  const created = await createOrBlock(context, browser, name);
  const list = await listWith(context, browser, [created]);
  if (list.missing.length > 0) throw new Blocked(missingFromList);
  return { ...created, list };
}

/** Returns the list. Fails when a request made it unreadable, so it must be readable before. */
export async function expectReadableList(
  context: RunContext,
  browser: SimulatedBrowser,
  request: string,
  ...exchanges: Exchange[]
) {
  let list = await browser.listProjects();
  if (!list.outcome.ok) list = await browser.listProjects();
  if (list.outcome.ok) return { call: list, projects: list.outcome.value };
  const status = statusOf(list.exchange);
  if (status === 0 || isClientError(list.exchange)) throw unshown(list);
  const shown = [...exchanges, list];
  throw new CheckFailed([await createUnreadable(context, browser, list, shown, request)]);
}
