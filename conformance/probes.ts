import type { Project } from '../machines/types.ts';
import { describeListFault, describeResponse } from './describe.ts';
import type { SimulatedBrowser, ApiCall } from './http/simulated-browser.ts';
import { statusOf } from './http/response.ts';
import { Blocked } from './verdict.ts';
import type { RunContext } from './run-context.ts';

type Send = (context: RunContext, browser: SimulatedBrowser) => Promise<ApiCall>;

export const sendWrongPassword: Send = async (context, browser) => {
  const { email, password } = await context.signedInUser('ada');
  return browser.login(email, `wrong-${password}`);
};

export const sendUnknownEmail: Send = async (context, browser) => {
  const { password } = await context.registeredAccount('ada');
  return browser.login(context.fixtures.email('unknown'), password);
};

/** Registers ada's email a second time, with another password. */
export const sendExistingEmail: Send = async (context, browser) => {
  const { email, password } = await context.signedInUser('ada');
  return browser.registerUser(email, `${password}-other`);
};

/** Sends the request of an error case in a new browser, unless the run has sent it. */
const sendErrorCase = (id: string, send: Send) => (context: RunContext) =>
  context.once(`error case ${id}`, () => send(context, context.newBrowser('stranger')));

export const loginWithWrongPassword = sendErrorCase('ERR-1', sendWrongPassword);
export const loginWithUnknownEmail = sendErrorCase('ERR-2', sendUnknownEmail);
export const registerAgain = sendErrorCase('ERR-5', sendExistingEmail);

/** Fetches the list without cookies. */
export const listAsVisitor = (context: RunContext) =>
  context.once('list as visitor', () => context.newBrowser('visitor').listProjects());

/** Creates a project without cookies. */
export const createAsVisitor = (context: RunContext) =>
  context.once('create as visitor', () =>
    context.newBrowser('visitor').createProject(context.fixtures.project('of a visitor')),
  );

/** Returns whether a visitor without cookies gets a list. */
export const isListPublic = async (context: RunContext) =>
  (await listAsVisitor(context)).outcome.ok === true;

/** Returns whether bob's list has a project that ada created. */
export const isListShared = (context: RunContext): Promise<boolean> =>
  context.once('is list shared', async () => {
    const [ada, bob] = [await context.signedInUser('ada'), await context.signedInUser('bob')];
    const create = await ada.browser.createProject(context.fixtures.project('to be seen'));
    if (!create.outcome.ok) return false;
    const list = await bob.browser.listProjects();
    return list.outcome.ok === true && list.outcome.value.some(hasSameId(create.outcome.value));
  });

/** Returns a predicate for projects with this id. Ignores its type, which PROJECT-7 checks. */
export const hasSameId =
  ({ id }: Project) =>
  (other: Project) =>
    String(other.id) === String(id);

/** Creates a project of the fixtures. Blocks the check when that fails. */
export async function createOrBlock(context: RunContext, browser: SimulatedBrowser, name: string) {
  const sent = context.fixtures.project(name);
  const call = await browser.createProject(sent);
  if (!call.outcome.ok) throw new Blocked(describeCreateFailure(call));
  return { call, sent, project: call.outcome.value };
}

export const describeCreateFailure = ({ exchange }: ApiCall) =>
  `creating a project failed: ${describeResponse(exchange)}`;

/** Fetches the list. Blocks the check when the app cannot show it. */
export async function listOrBlock(browser: SimulatedBrowser) {
  const call = await browser.listProjects();
  if (!call.outcome.ok) throw new Blocked(`the list cannot be shown: ${describeListFault(call)}`);
  return { call, projects: call.outcome.value };
}

export const missingFromList = 'the list does not contain a created project';

export const createFirstProject = (context: RunContext) => createOnce(context, 'the very first');
export const createSecondProject = (context: RunContext) => createOnce(context, 'another one');

const createOnce = (context: RunContext, name: string) =>
  context.once(`create ${name}`, async () =>
    (await context.signedInUser('ada')).browser.createProject(context.fixtures.project(name)),
  );

/** Fetches ada's list and creates a project, right after she signed in. */
export const firstVisit = (context: RunContext) =>
  context.once('first visit', async () => {
    const user = await context.signedInUser('ada');
    const list = await user.browser.listProjects();
    const create = await user.browser.createProject(context.fixtures.project('first'));
    return { user, list, create };
  });

export const isUnauthorized = ({ outcome, exchange }: ApiCall) =>
  outcome.ok !== true && [401, 403, 419].includes(statusOf(exchange));

/** Blocks a check when a signed-in user is rejected. SIGNIN-6 reports that once for all checks. */
export async function requireSession(context: RunContext, to: 'list' | 'list and create' = 'list') {
  const { list, create } = await firstVisit(context);
  const calls = to === 'list' ? [list] : [list, create];
  const rejected = calls.find(isUnauthorized);
  if (rejected)
    throw new Blocked(
      `a signed-in user is rejected, see SIGNIN-6: ${describeResponse(rejected.exchange)}`,
    );
}

/** Creates a project as a signed-in user, without the XSRF token. */
export const createWithoutToken = (context: RunContext) =>
  context.once('without token', async () =>
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

/** Makes the requests of an ordinary visit, whose responses several checks inspect. */
export const makeOrdinaryVisit = (context: RunContext) =>
  context.once('an ordinary visit', async () => {
    const steps = [
      () => loginWithWrongPassword(context),
      () => loginWithUnknownEmail(context),
      () => createAsVisitor(context),
      () => context.newBrowser('visitor').listProjects(),
      async () => {
        const { browser } = await context.signedInUser('ada');
        await browser.createProject(context.fixtures.project('on an ordinary visit'));
        await browser.createProject({
          title: 'Ünïcode für alle',
          description: 'Größe: 5 µm, Preis: 3 €',
        });
        await browser.listProjects();
      },
    ];
    for (const step of steps) await step().catch(() => undefined);
  });
