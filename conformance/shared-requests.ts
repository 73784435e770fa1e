import { createHash } from 'node:crypto';
import type { Credentials, NewProject, Project } from '../machines/types.ts';
import { describeResponse, describeStatus, truncate } from './problems/describe.ts';
import { headerValues, isClientError, isSuccess, parseJson, statusOf } from './http/response.ts';
import type { Exchange } from './http/record.ts';
import { lateMs } from './http/clock.ts';
import type { SimulatedBrowser, ApiCall } from './http/simulated-browser.ts';
import { listFault } from './problems/matchers.ts';
import { Blocked, CheckFailed, createProblem, fail, type Verdict } from './problems/problem.ts';
import {
  getOrCreate,
  oncePerRun,
  type Account,
  type RunContext,
  type SignedInUser,
} from './people/run-context.ts';

export type Send = (context: RunContext, browser: SimulatedBrowser) => Promise<ApiCall>;

export const sendWrongPassword: Send = async (context, browser) => {
  const { email, password } = await context.signedInUser('ada');
  return browser.login(email, `wrong-${password}`);
};

export const sendUnknownEmail: Send = async (context, browser) => {
  const { password } = await context.registeredAccount('ada');
  // Where emails are compared with LIKE, "_" stands for any character: this is ada's email.
  return browser.login(context.fixtures.email('a_a'), password);
};

/** Registers ada's email a second time, with another password. */
export const sendExistingEmail: Send = async (context, browser) => {
  const { email, password } = await context.signedInUser('ada');
  return browser.registerUser(email, `${password}-other`);
};

/** Sends the request of an error case once per run, by default in a new browser. */
export const sendErrorCase = <Result extends ApiCall | Exchange>(
  context: RunContext,
  send: (context: RunContext, browser: SimulatedBrowser) => Promise<Result>,
  browser?: SimulatedBrowser,
): Promise<Result> =>
  getOrCreate(context.errorCases, send, () =>
    send(context, browser ?? context.newBrowser('stranger')),
  ) as Promise<Result>;

export const loginWithWrongPassword = async (context: RunContext) =>
  sendErrorCase(context, sendWrongPassword, await mistypingVisitor(context));

/** The browser of `loginWithWrongPassword`. It has no cookies before that. */
export const mistypingVisitor = oncePerRun(async (context) => context.newBrowser('stranger'));
export const loginWithUnknownEmail = (context: RunContext) =>
  sendErrorCase(context, sendUnknownEmail);
export const registerAgain = (context: RunContext) => sendErrorCase(context, sendExistingEmail);

/**
 * Blocks a claim about a refused sign-in if an ordinary account is refused too, or if this account
 * signs in later. SIGNIN-17 reports that.
 */
export async function blockIfRefusedAnyway(
  context: RunContext,
  account?: Account,
  login?: ApiCall,
) {
  const ada = await context.signedInUser('ada');
  const control = await context.tryRegister(`control${context.refusedSignIns.length}`);
  const signIn = ({ email, password }: Credentials) =>
    context.newBrowser('control').login(email, password);
  const first = await signIn(control);
  const second = await signIn(first.outcome.ok ? control : ada);
  if (!second.outcome.ok) {
    const fault = first.outcome.ok
      ? 'An account signs in once, and not again with the same email and password'
      : 'An account that has signed in before is refused with the same password';
    const evidence = [first.outcome.ok ? control.registration : ada.login, first, second];
    const description = `${fault}: ${describeStatus(second.exchange)}.`;
    // What refuses other accounts may be the cause here.
    if (context.refusedSignIns.length > 0) throw new Blocked('sign-ins fail now and then');
    context.refusedSignIns.push(createProblem(description, evidence));
    throw new Blocked(description);
  }
  if (login && (await context.signInLate(account!, login)).outcome.ok)
    throw new Blocked('a later sign-in succeeds');
}

/** Fetches the list without cookies. */
export const listAsVisitor = oncePerRun((context) => context.newBrowser('visitor').listProjects());

/** Creates a project without cookies. */
export const createAsVisitor = oncePerRun(async (context) =>
  (await creatingVisitor(context)).createProject(context.fixtures.project('of a visitor')),
);

/** The browser of `createAsVisitor`. It has no cookies before that. */
export const creatingVisitor = oncePerRun(async (context) => context.newBrowser('visitor'));

/** Returns whether a visitor without cookies gets a list. */
export const isListPublic = async (context: RunContext) =>
  (await listAsVisitor(context)).outcome.ok === true;

/** Returns whether bob's list has a project that ada created. */
export const isListShared = oncePerRun(async (context): Promise<boolean> => {
  const [ada, bob] = [await context.signedInUser('ada'), await context.signedInUser('bob')];
  const create = await ada.browser.createProject(context.fixtures.project('to be seen'));
  // Bob's list may be stale, so earlier projects of ada count too.
  const lists = [await ada.browser.listProjects(), await bob.browser.listProjects()];
  const [own = [], others = []] = lists.map(({ outcome }) => (outcome.ok ? outcome.value : []));
  const created = create.outcome.ok ? [...own, create.outcome.value] : own;
  return created.some((project) => others.some(isSameProject(project)));
});

/** Compares titles too, because two users may have projects with the same id. */
export const isSameProject =
  ({ id, title }: Project) =>
  (other: Project) =>
    String(other.id) === String(id) && other.title === title;

/** Finds a project in a list of its user, also if its id or its text changed. */
export const findProjectLoosely = (projects: Project[], project: Project): Project | undefined =>
  projects.find(isSameProject(project)) ??
  projects.find(({ id }) => String(id) === String(project.id)) ??
  projects.find(({ title }) => title === project.title);

/** Creates a project of the fixtures. Blocks the check when that fails. */
export async function createOrBlock(
  context: RunContext,
  browser: SimulatedBrowser,
  name: string,
  keyName?: string,
) {
  const sent = context.fixtures.project(name);
  const call = await (keyName === undefined
    ? browser.createProject(sent)
    : createWithKey(context, browser, sent, keyName));
  if (!call.outcome.ok) throw new Blocked(describeCreateFailure(call));
  return { call, sent, project: call.outcome.value };
}

export const describeCreateFailure = ({ exchange }: ApiCall) =>
  `creating a project failed: ${describeResponse(exchange)}`;

/**
 * Fetches the list. Blocks the check when the app cannot show it. Fails when the app could show an
 * earlier list of the browser: what was created since is the cause. Fails so once per browser.
 */
export async function listOrBlock(browser: SimulatedBrowser) {
  const call = await browser.listProjects();
  if (call.outcome.ok) return { call, projects: call.outcome.value };
  const fault = listFault(call);
  const own = browser.http.exchanges.filter(
    ({ browserName, request }) =>
      browserName === browser.name && request.path === call.exchange.request.path,
  );
  const last = own.findLastIndex(
    (each) => each.request.method === 'GET' && Array.isArray(parseJson(each.response?.text)),
  );
  if (!isSuccess(call.exchange) || last === -1 || unreadable.has(browser))
    throw new Blocked(`the list cannot be shown: ${fault}`);
  unreadable.add(browser);
  const since = own.slice(last);
  const create = since.findLast(({ request }) => request.method === 'POST');
  const { title } = Object(parseJson(String(create?.request.body))) as Partial<Project>;
  const subject = `the project "${truncate(String(title), 20)}"`;
  return failUnreadable(`The app can show no list after ${subject}.`, fault, since, subject);
}

/** The browsers of which a check has reported that their list became unreadable. */
const unreadable = new WeakSet<SimulatedBrowser>();

/** Fails for a request after which the app cannot show the list. */
const failUnreadable = (
  description: string,
  detail: string,
  exchanges: (Exchange | ApiCall)[],
  subject: string,
) =>
  fail(description, exchanges, {
    detail: `The list: ${detail}.`,
    userSees: 'an empty list, although nothing was deleted',
    cause: { words: 'requests make the list of their user unreadable', subject },
  });

/** Creates a verdict whose function gets the browser of a signed-in user. */
export const asUser =
  (name: string, run: (context: RunContext, browser: SimulatedBrowser) => Promise<Verdict>) =>
  async (context: RunContext) =>
    run(context, (await context.signedInUser(name)).browser);

export const missingFromList = 'the list does not contain a created project';

type Created = { call: ApiCall; project: Project };

/**
 * Fetches the list, and returns which of these projects it lacks. Fails if a later list has such a
 * project, because that project is not lost. The check of the next list fails then, too.
 */
export async function listWith(
  context: RunContext,
  browser: SimulatedBrowser,
  created: Created[],
  find = findProjectLoosely,
  first?: Awaited<ReturnType<typeof listOrBlock>>,
) {
  const list = first ?? (await listOrBlock(browser));
  const missing = created.filter(({ project }) => !find(list.projects, project));
  if (missing.length === 0) return { ...list, missing };
  await context.http.clock.sleep(lateMs);
  const later = await listOrBlock(browser);
  const late = missing.find(({ project }) => find(later.projects, project));
  if (!late) return { ...list, missing };
  const description = 'A list lacks a project right after its creation, and has it 0.5 s later.';
  const problem = createProblem(description, [late.call, later.call, list.call], {
    userSees: 'the new project disappears when the user comes back to the screen',
    cause: {
      words: 'lists lack a project right after its creation and have it 0.5 s later',
      subject: `"${truncate(late.project.title, 40)}"`,
    },
  });
  context.lateProjects.push(problem);
  throw new CheckFailed([problem]);
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
  browser: SimulatedBrowser,
  request: string,
  ...evidence: Exchange[]
) {
  let list = await browser.listProjects();
  if (!list.outcome.ok) list = await browser.listProjects();
  if (list.outcome.ok) return { call: list, projects: list.outcome.value };
  const status = statusOf(list.exchange);
  if (status === 0 || isClientError(list.exchange))
    throw new Blocked(`the list cannot be shown: ${listFault(list)}`);
  unreadable.add(browser);
  const description = `The app can show no list after ${request} (${describeStatus(evidence.at(-1)!)}).`;
  return failUnreadable(description, listFault(list), [...evidence, list], request);
}

/** Creates a project with this Idempotency-Key, which has the format of the app's own keys. */
export function createWithKey(
  context: RunContext,
  browser: SimulatedBrowser,
  project: NewProject,
  keyName: string,
) {
  const hash = createHash('sha256').update(`${keyName} ${context.fixtures.runId}`);
  const headers = { 'idempotency-key': hash.digest('hex').slice(0, 32) };
  return browser.createProject(project, { headers, isAppRequest: false });
}

/** A user who has just signed in, fetched the list and created a project. */
export type Visit = SignedInUser & { create: ApiCall<Project> };

/** Creates a project with this name after a sign-in. */
export const visitAs = async (context: RunContext, user: SignedInUser, name: string) =>
  ({ ...user, create: await user.browser.createProject(context.fixtures.project(name)) }) as Visit;

/** Returns ada's first visit. */
export const firstVisit = oncePerRun(async (context) =>
  visitAs(context, await context.signedInUser('ada'), 'first'),
);

/** Not more often the same user, in case the backend limits the sessions of a user. */
const visitors = ['ada', 'bob', 'olga', 'ada', 'bob', 'cleo', 'ada', 'bob', 'dora', 'olga'];

/** Signs in ten times in a row, because some tokens or some creates may fail. */
export const manyVisits = oncePerRun(async (context) => {
  const visits: Visit[] = [];
  for (const [index, name] of visitors.entries()) {
    const user = await context.newSession(name);
    visits.push(await visitAs(context, user, `right after sign-in ${index + 1}`));
  }
  return visits;
});

const taken = new WeakSet<Visit>();

/** Returns a session that no other check uses. The caller may end it. */
export async function takeSession(context: RunContext, name: string): Promise<Visit> {
  const visits = await manyVisits(context);
  const own = visits.filter((visit) => visit.name === name && !taken.has(visit));
  const visit =
    own.find(({ list, create }) => list.outcome.ok && create.outcome.ok) ??
    own[0] ??
    (await visitAs(context, await context.newSession(name), 'in another session'));
  taken.add(visit);
  return visit;
}

/** Returns ada's session that several checks use, but none ends. */
export const activeSession = oncePerRun((context) => takeSession(context, 'ada'));

/** Signs olga in from a browser in which ada is signed in. */
export const signInAsAnother = oncePerRun(async (context) => {
  const first = await takeSession(context, 'ada');
  const { browser } = first;
  const oldBrowser = browser.clone('ada, before olga');
  const oldToken = browser.xsrfToken();
  const account = await context.registeredAccount('olga');
  const login = await browser.login(account.email, account.password);
  return { first, browser, oldBrowser, oldToken, account, login };
});

/** Returns whether a response is that of a sign-in: a success that sets the same cookies. */
export async function isSignIn(context: RunContext, exchange: Exchange): Promise<boolean> {
  const { login } = await context.signedInUser('ada');
  const names = ({ response }: Exchange) =>
    headerValues(response, 'set-cookie').map((line) => line.split('=')[0]);
  return (
    isSuccess(exchange) && names(login.exchange).every((name) => names(exchange).includes(name))
  );
}

export const isUnauthorized = ({ outcome, exchange }: ApiCall) =>
  outcome.ok !== true && [401, 403, 419].includes(statusOf(exchange));

/** Creates a project as a signed-in user, without the XSRF token. */
export const createWithoutToken = oncePerRun(async (context) =>
  createWithToken(context, (await context.signedInUser('ada')).browser, undefined),
);

export function createWithToken(
  context: RunContext,
  browser: SimulatedBrowser,
  token: string | undefined,
) {
  return browser.send('POST', '/api/v1/projects', {
    json: context.fixtures.project('with another token'),
    headers: { 'x-xsrf-token': token },
  });
}

/** Makes the requests of an ordinary visit, except those that are error cases. */
export const makeOrdinaryVisit = oncePerRun(async (context) => {
  await context.newBrowser('visitor').listProjects();
  const { browser } = await context.signedInUser('ada');
  await browser.createProject({ title: 'Größe', description: '5 µm und 3 €' });
  await browser.listProjects();
});
