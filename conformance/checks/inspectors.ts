import type { Exchange } from '../http/record.ts';
import type { RunContext } from '../people/run-context.ts';
import { makeOrdinaryVisit } from '../people/visits.ts';
import { failOnFaults, type ResponseRule } from '../problems/fail-on-faults.ts';
import { errorCases } from '../requests/error-cases.ts';
import { triggerError } from '../requests/refusals.ts';
import type { Run } from './check.ts';

/** Creates the `run` of a check of the responses to an ordinary visit and to the error cases. */
export function inspectResponses(...rule: ResponseRule): Run {
  return async (context) => failOnFaults(await collectExchanges(context), () => true, ...rule);
}

/** Like `inspectResponses`, but of the requests that the app itself sends. */
export function inspectVisit(...rule: ResponseRule): Run {
  return async (context) =>
    failOnFaults(await collectExchanges(context), (each) => each.isAppRequest, ...rule);
}

/** Makes an ordinary visit and sends all error cases. Returns the exchanges of the run so far. */
export async function collectExchanges(context: RunContext): Promise<Exchange[]> {
  await makeOrdinaryVisit(context).catch(() => {});
  for (const errorCase of errorCases) await triggerError(context, errorCase).catch(() => {});
  return context.http.exchanges;
}
