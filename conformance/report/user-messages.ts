import { describeResponse } from '../describe.ts';
import { statusOf } from '../http/response.ts';
import { triggeredError, describeUserMessage, errorCases } from '../checks/errors.ts';
import type { UserMessage } from '../results.ts';
import type { RunContext } from '../run-context.ts';

/** Of each situation that was brought about, what people read then. */
export async function collectUserMessages(context: RunContext): Promise<UserMessage[]> {
  const rows = await Promise.all(
    errorCases.map(async (situation) => {
      const provoked = await triggeredError(context, situation)?.catch(() => undefined);
      if (!provoked) return undefined;
      const exchange = 'outcome' in provoked ? provoked.exchange : provoked;
      return {
        id: situation.id,
        situation: situation.subject,
        status: statusOf(exchange),
        response: describeResponse(exchange),
        message: describeUserMessage(situation, provoked),
      };
    }),
  );
  return rows.filter((row) => row !== undefined);
}
