import type { AnyActor, AnyEventObject, AnyMachineSnapshot } from 'xstate';
import { callNames, type Call } from './calls.ts';
import type { ExploredApp } from './exploration.ts';
import { createHeadlessApp } from './headless-app.ts';
import { createHeldCalls, type HeldCall } from './held-calls.ts';
import { createInspector } from './inspection.ts';
import type { Api } from '../src/api/api.ts';

/** Returns the app without screens. Its calls end when the exploration says so. */
export function createExploredApp(changeApi = (api: Api): Api => api): ExploredApp {
  const calls = createHeldCalls<never>();
  /** The last of each call. */
  const aborted = new Map<Call, HeldCall<never>>();

  function startCall(call: Call, sent: unknown, signal: AbortSignal) {
    const held = calls.hold(call, sent, signal);
    signal.addEventListener('abort', () => {
      if (!held.isEnded) aborted.set(call, held);
    });
    return held.result;
  }
  const { inspect, take } = createInspector();
  const app = createHeadlessApp(changeApi({ call: startCall }), inspect);

  async function end(held: HeldCall<never>, { output, error }: AnyEventObject) {
    if (error) held.reject(error);
    else held.resolve(output as never);
    // The wiring and XState wait for a promise each.
    for (let turn = 0; turn < 8; turn++) await Promise.resolve();
  }

  return {
    ...app,
    elapse: async (milliseconds) => app.clock.elapse(milliseconds),
    observe: async () => ({ ...(await app.observe()), calls: calls.counts() }),
    answer: (call, _, event) => end(calls.pending(call), event!),
    abortedCalls: () => callNames.filter((call) => aborted.has(call)),
    async answerAborted(call, _, event) {
      const answered = aborted.get(call)!;
      aborted.delete(call);
      await end(answered, event!);
    },
    inspection: take,
    state: () => ({
      ...Object.fromEntries(
        Object.entries<AnyActor>(app.actors()).map(([id, actor]) => [
          id,
          stateOf(actor.getSnapshot()),
        ]),
      ),
      timers: app.clock.remaining(),
    }),
  };
}

function stateOf({ value, context, children }: AnyMachineSnapshot) {
  return { value, context, children: Object.keys(children).toSorted() };
}
