/** Executes a path on a driver and compares what it observes with the model after each step. */
import { isDeepStrictEqual } from 'node:util';
import type { AnyStateMachine, SnapshotFrom } from 'xstate';
import { delays, perform, type Driver, type Observation, type PasswordOf } from './driver.ts';
import { requestsOf, type Expectations, type Location } from './expectations.ts';
import type { Inspection } from './inspection.ts';
import type { AuthMove, ProjectsMove } from './moves.ts';
import type { Path, Step } from './paths.ts';

type Walk<Machine extends AnyStateMachine, Name extends string> = {
  path: Path<Machine, Name>;
  driver: Driver;
  /** What the machine expects on the screen. Absent where the backend decides what it answers. */
  expectations?: Expectations<Machine, Name>;
  /** The independent implementation of the specification. */
  oracle?: Driver;
  /** Default: one password for all accounts. */
  passwordOf?: PasswordOf;
  /** Called with each performed step and what the actors did in it, if the driver records that. */
  onStep?: (step: Step<Machine, Name>, inspection: Inspection | undefined) => void;
  /** Repeats a comparison that throws, for an app that needs time. Default: no repetition. */
  retry?: (compare: () => Promise<void>) => Promise<void>;
};

/** Thrown when an observation differs from the model. */
export class ModelMismatch extends Error {
  override readonly name = 'ModelMismatch';
}

/**
 * Executes a path. After each step it compares the screen and the requests with the machine and
 * with the oracle, and the transitions of the actors with those of the machine.
 *
 * Returns the number of steps whose observation was compared. Throws `ModelMismatch`.
 */
export async function walk<Machine extends AnyStateMachine, Name extends AuthMove | ProjectsMove>({
  path,
  driver,
  expectations,
  oracle,
  passwordOf,
  onStep,
  retry = (compare) => compare(),
}: Walk<Machine, Name>): Promise<number> {
  const compared = new Set<object>();
  const { id } = (path.steps[0]!.snapshot as { machine: AnyStateMachine }).machine;
  let location: Location = { path: expectations?.start ?? '/', values: [] };
  let observation: Observation | undefined;

  /** Compares the last observation. Observes again only where it differs. */
  async function compareScreen(compare: (actual: Observation) => void) {
    try {
      compare((observation ??= await driver.observe()));
    } catch {
      await retry(async () => compare((observation = await driver.observe())));
    }
  }

  async function performStep(step: Step<Machine, Name>) {
    if (step.move === 'start') return;
    if (step.move.endsWith(' over')) {
      await elapseWithoutChange(delays[step.move.split(' ')[0] as keyof typeof delays] - 1);
    }
    const repeat = await perform(driver, step, passwordOf);
    observation = undefined;
    if (oracle) {
      await repeat(oracle);
      const expected = await oracle.observe();
      await compareScreen((actual) => assertEqual('the screen', actual, expected));
      if (!expectations) compared.add(step);
    }
    const internals = [await oracle?.internals?.(), expectations?.internals?.(step.snapshot)];
    for (const expected of internals) {
      if (!expected || !driver.internals) continue;
      // A response that changes nothing on the screen may not have been processed yet.
      // oxlint-disable-next-line no-await-in-loop
      await retry(async () => assertEqual('the app', await driver.internals?.(), expected));
    }
    const inspection = await driver.inspection?.();
    if (inspection) {
      const ofMachine = (names: string[]) => names.filter((name) => name.startsWith(`${id} · `));
      assertEqual(
        'what the machine did',
        ofMachine(inspection.transitions),
        ofMachine(step.inspection.transitions),
      );
    }
    onStep?.(step, inspection);
  }

  async function elapseWithoutChange(milliseconds: number) {
    await driver.elapse(milliseconds);
    assertEqual('the clock', (await driver.inspection?.())?.transitions ?? [], []);
    await oracle?.elapse(milliseconds);
  }

  const checkState =
    (expected: (snapshot: SnapshotFrom<Machine>, at: Location) => object) =>
    async (step: Step<Machine, Name>) => {
      const requests = requestsOf(path.steps.slice(0, path.steps.indexOf(step) + 1));
      const shown = { ...expected(step.snapshot, location), calls: requests };
      await compareScreen((actual) => assertMatches('the screen', actual, shown));
      compared.add(step);
    };

  await path.test({
    async perform(step) {
      location = expectations?.locationAfter(step, location) ?? location;
      await performStep(step);
    },
    states: Object.fromEntries(
      Object.entries(expectations?.states ?? {}).map(([state, expected]) => [
        state,
        checkState(expected as never),
      ]),
    ) as Parameters<typeof path.test>[0]['states'],
  });
  return compared.size;
}

/** Throws unless both are equal, and names the property. A missing one equals `undefined`. */
function assertEqual(subject: string, actual: unknown, expected: unknown) {
  if (isDeepStrictEqual(actual, expected)) return;
  if (isRecord(actual) && isRecord(expected)) {
    for (const key of Object.keys({ ...actual, ...expected })) {
      assertEqual(`${key} of ${subject}`, actual[key], expected[key]);
    }
    return;
  }
  throw new ModelMismatch(
    `${subject} is ${excerpt(actual)}, and the model expects ${excerpt(expected)}`,
  );
}

/** Throws unless each property of `expected` has an equal one in `actual`, which may have more. */
function assertMatches(subject: string, actual: object, expected: object) {
  for (const [key, value] of Object.entries(expected)) {
    const found = (actual as Record<string, unknown>)[key];
    if (key === 'calls') assertMatches('the requests', found as object, value as object);
    else if (key === 'banners') assertMatches('the banners', found as object, value as object);
    else assertEqual(`${key} of ${subject}`, found, value);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const excerpt = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 200);
