import { describeResponse, statusOf } from '../checks/check.ts';
import { known, readingOf, situations } from '../checks/errors.ts';
import type { World } from '../world.ts';

/** One row of "What your users will read". */
export type UserMessage = {
  id: string;
  situation: string;
  status: number;
  answer: string;
  reads: string;
};

/** Of each situation that was brought about, what people read then. */
export async function userMessagesIn(world: World): Promise<UserMessage[]> {
  const rows = await Promise.all(
    situations.map(async (situation) => {
      const provoked = await known(world, situation)?.catch(() => undefined);
      if (!provoked) return undefined;
      const exchange = 'ended' in provoked ? provoked.exchange : provoked;
      return {
        id: situation.id,
        situation: situation.what,
        status: statusOf(exchange),
        answer: describeResponse(exchange),
        reads: readingOf(situation, provoked),
      };
    }),
  );
  return rows.filter((row) => row !== undefined);
}
