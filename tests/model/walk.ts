import { expect } from 'vitest';
import type { AnyMachineSnapshot, AnyStateMachine, SnapshotFrom } from 'xstate';
import type { Path, Step } from '../../model/paths.ts';
import type { Coverage } from './coverage.ts';
import { delays, perform, type Driver, type Observation } from '../../model/driver.ts';
import type { AuthMove, ProjectsMove } from '../../model/moves.ts';
import { callsBy, type Place, type Expectations } from '../../model/expectations.ts';

type Walk<Machine extends AnyStateMachine, Name extends string> = {
  path: Path<Machine, Name>;
  hands: Driver;
  /** What the machine says is seen; nothing where only a real backend knows what it will answer. */
  showing?: Expectations<Machine, Name>;
  /** What the specification says is seen. */
  oracle?: Driver;
  coverage?: Coverage;
  /** Tries again while something is not so, where an app takes its time. */
  until?: (check: () => Promise<void>) => Promise<void>;
};

/**
 * Walks a path by hand, and after each step holds what is seen against what the machine says, against what the specification
 * says, and what the actors did against what the machine does. Gives how many steps were held so.
 */
export async function walk<Machine extends AnyStateMachine, Name extends AuthMove | ProjectsMove>({
  path,
  hands,
  showing,
  oracle,
  coverage,
  until = (check) => check(),
}: Walk<Machine, Name>): Promise<number> {
  const held = new Set<object>();
  let place: Place = { path: showing?.start ?? '/', values: [] };
  let seen: Observation | undefined;

  const agree = async (agrees: (now: Observation) => void) => {
    try {
      agrees((seen ??= await hands.observe()));
    } catch {
      await until(async () => agrees((seen = await hands.observe())));
    }
  };

  const look =
    (expected: (snapshot: SnapshotFrom<Machine>, place: Place) => object) =>
    async (step: Step<Machine, Name>) => {
      const calls = callsBy(path.steps.slice(0, path.steps.indexOf(step) + 1));
      const shown = { ...expected(step.snapshot, place), calls };
      await agree((now) => expect(now).toMatchObject(shown));
      held.add(step);
    };

  async function performed(step: Step<Machine, Name>) {
    const { move, event, before, inspection: did } = step;
    if (move === 'start') return;
    const { children, machine }: AnyMachineSnapshot = before;
    if (move.endsWith(' over')) await standsStillFor(delays[move.split(' ')[0] as 'batching'] - 1);
    const repeat = await perform(hands, move, event, children[event.type] !== undefined);
    seen = undefined;
    if (oracle) {
      await repeat(oracle);
      const shown = await oracle.observe();
      await agree((now) => expect(now).toEqual(shown));
      if (!showing) held.add(step);
    }
    // An answer may change nothing on the screen, so that only this tells whether it has been taken in.
    for (const known of [await oracle?.internals?.(), showing?.known?.(step.snapshot)]) {
      if (!known || !hands.internals) continue;
      // oxlint-disable-next-line no-await-in-loop
      await until(async () => expect(await hands.internals?.()).toEqual(known));
    }
    const done = await hands.inspection?.();
    if (!done) return;
    const own = (names: string[]) => names.filter((name) => name.startsWith(`${machine.id} · `));
    expect(own(done.transitions)).toEqual(own(did.transitions));
    coverage?.add(done);
    if (move.startsWith('late ')) coverage?.addLate(move.replace(/ \d+$/, ''), done.now);
  }

  /** Until the delay is over nothing happens. */
  async function standsStillFor(milliseconds: number) {
    await hands.elapse(milliseconds);
    const did = await hands.inspection?.();
    if (did) expect(did.transitions).toEqual([]);
    await oracle?.elapse(milliseconds);
  }

  await path.test({
    async perform(step) {
      place = showing?.placeAfter(step, place) ?? place;
      await performed(step);
    },
    states: Object.fromEntries(
      Object.entries(showing?.states ?? {}).map(([state, expected]) => [
        state,
        look(expected as never),
      ]),
    ) as Parameters<typeof path.test>[0]['states'],
  });
  coverage?.finish();
  return held.size;
}
