import { describeResponse, statusOf } from '../checks/check.ts';
import { known, readingOf, situations } from '../checks/errors.ts';
import type { RunContext } from '../run-context.ts';

/** One row of "What your users will read". */
export type UserMessage = {
  id: string;
  situation: string;
  status: number;
  response: string;
  message: string;
};

/** Of each situation that was brought about, what people read then. */
export async function collectUserMessages(context: RunContext): Promise<UserMessage[]> {
  const rows = await Promise.all(
    situations.map(async (situation) => {
      const provoked = await known(context, situation)?.catch(() => undefined);
      if (!provoked) return undefined;
      const exchange = 'outcome' in provoked ? provoked.exchange : provoked;
      return {
        id: situation.id,
        situation: situation.what,
        status: statusOf(exchange),
        response: describeResponse(exchange),
        message: readingOf(situation, provoked),
      };
    }),
  );
  return rows.filter((row) => row !== undefined);
}
