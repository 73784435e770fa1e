import type { ScreenFault, Person, PersonSteps } from './steps.ts';

/** Steps that led to a fault. */
export type FailedWalk = { names: string[]; fault: ScreenFault };

export type WalkOptions = {
  steps: PersonSteps;
  maxSteps: number;
  /** Default: no step that signs in or registers. */
  maxHashes?: number;
  /** New people repeat a failure at most so often. Default: 24. */
  maxAttempts?: number;
};

/**
 * Lets a person do what the screen offers. Of the possible steps, the walk takes the one that it
 * has taken least often after the two steps before. Returns the first fault.
 */
export async function chooseSteps(
  person: Person,
  { steps, maxSteps, maxHashes = 0 }: WalkOptions,
): Promise<FailedWalk | undefined> {
  const counts = new Map<string, number>();
  let hashes = 0;
  return takeSteps(person, steps, (names, isPossible) => {
    if (names.length === maxSteps) return undefined;
    /** Returns the ends of the walk with one more step: after two steps, after one, alone. */
    const endsWith = (name: string) =>
      [2, 1, 0].map((before) => [...names.slice(names.length - before), name].join());
    const [next] = Object.keys(steps)
      .filter((name) => isPossible(name) && hashes + (steps[name]!.hashes ?? 0) <= maxHashes)
      .map((name) => ({ name, used: endsWith(name).map((end) => counts.get(end) ?? 0) }))
      .toSorted((one, two) => compare(one.used, two.used));
    if (!next) return undefined;
    for (const end of new Set(endsWith(next.name))) counts.set(end, (counts.get(end) ?? 0) + 1);
    hashes += steps[next.name]!.hashes ?? 0;
    return next.name;
  });
}

const compare = (one: number[], two: number[]) =>
  one.map((count, index) => count - two[index]!).find((difference) => difference !== 0) ?? 0;

/** Performs these steps. Returns the first fault, or undefined if a step is impossible. */
export const followSteps = (person: Person, steps: PersonSteps, wanted: string[]) =>
  takeSteps(person, steps, ({ length }, isPossible) =>
    wanted.slice(length, length + 1).find(isPossible),
  );

/** Takes the steps that `choose` returns, until it returns none. Returns the first fault. */
async function takeSteps(
  person: Person,
  steps: PersonSteps,
  choose: (names: string[], isPossible: (name: string) => boolean) => string | undefined,
): Promise<FailedWalk | undefined> {
  const names: string[] = [];
  for (;;) {
    const screen = await person.app.observe();
    const name = choose(names, (each) => steps[each]!.isPossible?.(screen, person) ?? true);
    if (name === undefined) return undefined;
    names.push(name);
    const fault = await steps[name]!.perform(person);
    if (fault) return { names, fault };
  }
}

export const hasSameFault = (
  journey: { failure?: FailedWalk | undefined },
  { fault }: FailedWalk,
) => journey.failure?.fault.kind === fault.kind;

/**
 * Repeats a failure with as few of its steps as possible. Returns the shortest journey with the
 * same fault; undefined if there is none.
 */
export async function repeat<Journey extends { failure?: FailedWalk | undefined }>(
  failure: FailedWalk,
  travel: (names: string[]) => Promise<Journey>,
  maxAttempts = 24,
): Promise<Journey | undefined> {
  const { names } = failure;
  let attempts = 0;
  let shortest: Journey | undefined;
  async function fails(candidate: string[]): Promise<boolean> {
    attempts += 1;
    const journey = await travel(candidate);
    if (hasSameFault(journey, failure)) shortest = journey;
    return hasSameFault(journey, failure);
  }

  let count = 1;
  while (!(await fails(names.slice(-count)))) {
    if (count >= names.length) return undefined;
    count *= 2;
  }
  let needed = names.slice(-count);
  for (let index = needed.length - 2; index >= 0 && attempts < maxAttempts; index--) {
    const fewer = needed.toSpliced(index, 1);
    if (await fails(fewer)) needed = fewer;
  }
  return shortest;
}
