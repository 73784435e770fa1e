import type { Exchange } from '../http/record.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import { getOrCreate } from '../people/get-or-create.ts';
import type { RunContext } from '../people/run-context.ts';

const resultsOf = new WeakMap<RunContext, Map<unknown, Promise<ApiCall | Exchange>>>();

const resultsIn = (context: RunContext) =>
  getOrCreate(resultsOf, context, () => new Map<unknown, Promise<ApiCall | Exchange>>());

/** Returns what a request of `sendErrorCase` brought; undefined if it was not sent or failed. */
export const sentErrorCase = async (context: RunContext, send: unknown) =>
  resultsIn(context)
    .get(send)
    ?.catch(() => undefined);

/** Sends the request of an error case once per run, by default in a new browser. */
export const sendErrorCase = <Result extends ApiCall | Exchange>(
  context: RunContext,
  send: (context: RunContext, browser: SimulatedBrowser) => Promise<Result>,
  browser?: SimulatedBrowser,
): Promise<Result> =>
  getOrCreate(resultsIn(context), send, () =>
    send(context, browser ?? context.newBrowser('stranger')),
  ) as Promise<Result>;
