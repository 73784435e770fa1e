/** Keeps a sentence from blaming a special input for what its plain twin shows too. */
import type { Exchange } from '../http/record.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import { CheckFailed } from './problem.ts';

/**
 * Judges a special case. If it is not met, judges its plain twin, which differs in one thing.
 * The problem is that of the special case only if the plain one is met, by the call that `judge`
 * returns.
 */
export async function judgeSpecial<Case, Call extends ApiCall | Exchange>(
  special: Case,
  plain: Case,
  judge: (each: Case) => Promise<Call>,
): Promise<Call> {
  try {
    return await judge(special);
  } catch (failure) {
    if (!(failure instanceof CheckFailed) || failure.problems.every((each) => each.plain))
      throw failure;
    const call = await judge(plain);
    throw new CheckFailed(failure.problems.map((problem) => ({ ...problem, plain: call })));
  }
}
