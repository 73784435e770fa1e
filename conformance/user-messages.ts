import {
  describeUserMessage,
  errorCases,
  exchangeOf,
  notSentByApp,
  triggeredError,
} from './checks/errors.ts';
import { describeResponse } from './describe.ts';
import { statusOf } from './http/response.ts';
import type { RunContext } from './run-context.ts';

/** Returns what users read in each error case of this run that the app can bring about. */
export async function collectUserMessages(context: RunContext) {
  const rows = [];
  for (const errorCase of errorCases) {
    const result = await triggeredError(context, errorCase)?.catch(() => undefined);
    if (!result) continue;
    const message = describeUserMessage(errorCase, result);
    if (message === notSentByApp) continue;
    const exchange = exchangeOf(result);
    rows.push({
      id: errorCase.id,
      situation: errorCase.subject,
      status: statusOf(exchange),
      response: describeResponse(exchange),
      message,
    });
  }
  return rows;
}
