import { callNames, type Call } from './calls.ts';
import type { Observation } from './observation.ts';

/** A call of an app. It ends when a test says so. */
export type HeldCall<Result> = {
  call: Call;
  sent: unknown;
  signal: AbortSignal;
  isEnded: boolean;
  result: Promise<Result>;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
};

export function createHeldCalls<Result>() {
  const made: HeldCall<Result>[] = [];
  const isPending = ({ isEnded, signal }: HeldCall<Result>) => !isEnded && !signal.aborted;
  const heldOf = (call: Call) => made.filter((held) => held.call === call);

  return {
    hold(call: Call, sent: unknown, signal: AbortSignal): HeldCall<Result> {
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      const end =
        <Value>(settle: (value: Value) => void) =>
        (value: Value) => {
          held.isEnded = true;
          settle(value);
        };
      const held: HeldCall<Result> = {
        call,
        sent,
        signal,
        isEnded: false,
        result: promise,
        resolve: end(resolve),
        reject: end(reject),
      };
      made.push(held);
      return held;
    },
    /** Returns the pending call. Throws an error if there is none. */
    pending(call: Call): HeldCall<Result> {
      const held = heldOf(call).find(isPending);
      if (!held) throw new Error(`No ${call} is waiting for a response.`);
      return held;
    },
    /** Returns, per call: how many were made, how many are pending, and what the last one sent. */
    counts(): Observation['calls'] {
      const counts = callNames.map((call) => {
        const held = heldOf(call);
        const pending = held.filter(isPending).length;
        return [call, { made: held.length, pending, sent: held.at(-1)?.sent }];
      });
      return Object.fromEntries(counts) as Observation['calls'];
    },
  };
}
