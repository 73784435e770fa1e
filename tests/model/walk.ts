import { expect } from 'vitest';
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { Path, Step } from './adapter.ts';
import { perform, type Hands } from './driver.ts';
import type { AuthMove, ProjectsMove } from './models.ts';
import { callsBy, type Place, type Showing } from './seen.ts';

/**
 * Walks a path by hand, and after each step holds what is seen against what the machine says. `until` tries again while it
 * is not so, as screens take their time. Gives how many steps were held so.
 */
export async function walk<Machine extends AnyStateMachine, Name extends AuthMove | ProjectsMove>(
  path: Path<Machine, Name>,
  showing: Showing<Machine, Name>,
  hands: Hands,
  until: (check: () => Promise<void>) => Promise<void>,
  alongside?: Hands,
): Promise<number> {
  const held = new Set<object>();
  let place: Place = { path: showing.start, values: [] };
  const look =
    (expected: Showing<Machine, Name>['states'][keyof Showing<Machine, Name>['states']]) =>
    async (step: Step<Machine, Name>) => {
      const calls = callsBy(path.steps.slice(0, path.steps.indexOf(step) + 1));
      const seen = { ...expected(step.snapshot, place), calls };
      await until(async () => expect(await hands.see()).toMatchObject(seen));
      held.add(step);
    };

  await path.test({
    async perform(step) {
      place = showing.placeAfter(step, place);
      if (step.move === 'start') return;
      const { children }: AnyMachineSnapshot = step.before;
      const pending = children[step.event.type] !== undefined;
      await perform(hands, step.move, step.event, pending);
      if (!alongside) return;
      await perform(alongside, step.move, step.event, pending);
      const seen = await alongside.see();
      await until(async () => expect(await hands.see()).toEqual(seen));
      if (hands.known) expect(await hands.known()).toEqual(await alongside.known?.());
    },
    states: Object.fromEntries(
      Object.entries(showing.states).map(([state, expected]) => [state, look(expected as never)]),
    ) as Parameters<typeof path.test>[0]['states'],
  });
  return held.size;
}
