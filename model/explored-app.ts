import type { AnyActor, AnyEventObject, AnyMachineSnapshot } from 'xstate';
import { callNames, type Call } from './calls.ts';
import { countRequests } from './controlled-backend.ts';
import type { ExploredApp } from './exploration.ts';
import { createHeadlessApp } from './headless-app.ts';
import { createInspector } from './inspection.ts';
import type { Api } from '../src/api/api.ts';

type PendingCall = { call: Call; sent: unknown; end: (event: AnyEventObject) => void };

/** Returns the app without screens. Its calls end when the exploration says so. */
export function createExploredApp(changeApi = (api: Api): Api => api): ExploredApp {
  const made: PendingCall[] = [];
  const pending = new Set<PendingCall>();
  /** The last of each call. */
  const aborted = new Map<Call, PendingCall>();

  function startCall(call: Call, sent: unknown, signal: AbortSignal) {
    const { promise, resolve, reject } = Promise.withResolvers<never>();
    const started: PendingCall = {
      call,
      sent,
      end: ({ output, error }) => (error ? reject(error as Error) : resolve(output as never)),
    };
    made.push(started);
    pending.add(started);
    signal.addEventListener('abort', () => {
      if (pending.delete(started)) aborted.set(call, started);
    });
    return promise;
  }
  const { inspect, take } = createInspector();
  const app = createHeadlessApp(changeApi({ call: startCall }), inspect);

  const pendingOf = (call: Call) => [...pending].filter((started) => started.call === call);

  async function end({ end: finish }: PendingCall, event: AnyEventObject) {
    finish(event);
    // The wiring and XState wait for a promise each.
    // oxlint-disable-next-line no-await-in-loop
    for (let turn = 0; turn < 8; turn++) await Promise.resolve();
  }

  return {
    ...app,
    elapse: async (milliseconds) => app.clock.elapse(milliseconds),
    observe: async () => ({
      ...(await app.observe()),
      calls: countRequests(made, pendingOf),
    }),
    async answer(call, _, event) {
      const [answered] = pendingOf(call);
      pending.delete(answered!);
      await end(answered!, event!);
    },
    abortedCalls: () => callNames.filter((call) => aborted.has(call)),
    async answerAborted(call, _, event) {
      const answered = aborted.get(call)!;
      aborted.delete(call);
      await end(answered, event!);
    },
    inspection: take,
    state: () => ({
      ...Object.fromEntries(
        Object.entries<AnyActor>(app.actors).map(([id, actor]) => [
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
