import { Blocked, type Exchange } from '../http/record.ts';
import { isClientError, isSuccess, statusOf } from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import { oncePerArguments, type RunContext } from '../people/run-context.ts';
import { describeExchangeScreen, describeResponse, describeScreen } from '../problems/describe.ts';
import { errorCases, notSentByApp, type FormCall, type ErrorCase } from './error-cases.ts';
import { sendErrorCase, sentErrorCase } from './send-error-case.ts';

/** A good form of each call. `name` makes its email or its title unique. */
export const goodCalls: Record<
  FormCall,
  (context: RunContext, browser: SimulatedBrowser, name: string) => Promise<ApiCall>
> = {
  async login(context, browser) {
    const { email, password } = await context.registeredAccount('ada');
    return browser.login(email, password);
  },
  registerUser: ({ fixtures }, browser, name) =>
    browser.registerUser(fixtures.email(name), fixtures.password(name)),
  createProject: ({ fixtures }, browser, name) => browser.createProject(fixtures.project(name)),
};

/** Returns the name of a request if it was refused, so that it is not in use. */
export async function freeName(
  context: RunContext,
  { id, send }: ErrorCase,
  other: string,
): Promise<string> {
  const result = await sentErrorCase(context, send);
  return result && isClientError(exchangeOf(result)) ? id : other;
}

export const casesOf = (call: ErrorCase['call']) => errorCases.filter((each) => each.call === call);

/**
 * Sends all wrong forms of a call and then a good one, from one browser, and returns the good one.
 * A good project and a list follow each wrong project. Of them, returns the first that fails, and
 * the wrong form before it. Once per run. No later check reads this list.
 */
export const refuseAll = oncePerArguments(
  async (context: RunContext, call: FormCall): Promise<{ good: ApiCall; before?: ErrorCase }> => {
    const isProject = call === 'createProject';
    const { browser } = isProject
      ? await context.signedInUser('erin')
      : { browser: context.newBrowser('stranger') };
    const good = (name: string) => goodCalls[call](context, browser, name);
    const isListed =
      isProject &&
      (await good('before-refusals')).outcome.ok &&
      (await browser.listProjects()).outcome.ok;
    let failed: { good: ApiCall; before: ErrorCase } | undefined;
    for (const before of casesOf(call)) {
      await sendErrorCase(context, before.send, browser).catch(() => undefined);
      if (!isProject || failed) continue;
      const next: ApiCall[] = [await good(`after-${before.id}`)];
      if (isListed) next.push(await browser.listProjects());
      const [first] = next.filter(({ outcome }) => !outcome.ok);
      failed = first && { good: first, before };
    }
    const name = await freeName(context, casesOf(call).at(-1)!, 'after-refusals');
    return failed ?? { good: await good(name) };
  },
);

/** Sends the request of an error case, once per run. A wrong form has the session of its call. */
export async function triggerError(context: RunContext, { call, send }: ErrorCase) {
  if (call) await refuseAll(context, call);
  return sendErrorCase(context, send);
}

/** Sends the request of an error case. Blocks the check when a good request fails too. */
export async function triggerJudged(context: RunContext, errorCase: ErrorCase) {
  const result = await triggerError(context, errorCase);
  if (!errorCase.call) return result;
  const { exchange } = (await refuseAll(context, errorCase.call)).good;
  if (!isSuccess(exchange)) throw new Blocked({ words: 'a good request fails too', exchange });
  return result;
}

export const exchangeOf = (result: ApiCall | Exchange): Exchange =>
  'outcome' in result ? result.exchange : result;

export const describeUserMessage = ({ userReads }: ErrorCase, result: ApiCall | Exchange) =>
  userReads ?? ('outcome' in result ? describeScreen(result) : describeExchangeScreen(result));

/** Returns what users read in each error case of this run that the app can bring about. */
export async function listUserMessages(context: RunContext) {
  const rows = [];
  for (const errorCase of errorCases.filter(({ userReads }) => userReads !== notSentByApp)) {
    const result = await sentErrorCase(context, errorCase.send);
    if (!result) continue;
    const exchange = exchangeOf(result);
    rows.push({
      id: errorCase.id,
      situation: errorCase.subject,
      status: statusOf(exchange),
      response: describeResponse(exchange),
      message: describeUserMessage(errorCase, result),
    });
  }
  return rows;
}
