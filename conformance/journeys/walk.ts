import type { Difference, Person, Step, Steps } from './steps.ts';

/** Steps that led to a difference. */
export type Failure = { names: string[]; difference: Difference };

export type WalkOptions = {
  steps: Steps;
  maxSteps: number;
  /** Default: no step that signs in or registers. */
  maxHashes?: number;
  /** New people repeat a failure at most so often. Default: 24. */
  maxAttempts?: number;
};

/**
 * Lets a person do what the screen offers. Of the possible steps, the walk takes the one that it
 * has taken least often after the two steps before. Returns the first difference.
 */
export async function walk(
  person: Person,
  { steps, maxSteps, maxHashes = 0 }: WalkOptions,
): Promise<Failure | undefined> {
  const names: string[] = [];
  const counts = new Map<string, number>();
  /** Returns the ends of the walk with one more step: with two steps before it, with one, alone. */
  const endsWith = (name: string) =>
    [2, 1, 0].map((before) => [...names.slice(names.length - before), name].join());
  let hashes = 0;
  while (names.length < maxSteps) {
    const screen = await person.app.observe();
    const isPossible = ([, step]: [string, Step]) =>
      step.isPossible(screen, person) && hashes + (step.hashes ?? 0) <= maxHashes;
    const [next] = Object.entries(steps)
      .filter(isPossible)
      .map(([name]) => ({ name, used: endsWith(name).map((end) => counts.get(end) ?? 0) }))
      .toSorted((one, two) => compare(one.used, two.used));
    if (!next) return undefined;
    for (const end of new Set(endsWith(next.name))) counts.set(end, (counts.get(end) ?? 0) + 1);
    names.push(next.name);
    hashes += steps[next.name]!.hashes ?? 0;
    const difference = await steps[next.name]!.perform(person);
    if (difference) return { names, difference };
  }
  return undefined;
}

const compare = (one: number[], two: number[]) =>
  one.map((count, index) => count - two[index]!).find((difference) => difference !== 0) ?? 0;

/** Performs these steps. Returns the first difference, or undefined if a step is impossible. */
export async function perform(
  person: Person,
  steps: Steps,
  names: string[],
): Promise<Failure | undefined> {
  for (const [index, name] of names.entries()) {
    const step = steps[name]!;
    if (!step.isPossible(await person.app.observe(), person)) return undefined;
    const difference = await step.perform(person);
    if (difference) return { names: names.slice(0, index + 1), difference };
  }
  return undefined;
}

export const isSame = (journey: { failure?: Failure | undefined }, { difference }: Failure) =>
  journey.failure?.difference.kind === difference.kind;

/**
 * Repeats a failure with as few of its steps as possible. Returns the shortest journey with the
 * same difference; undefined if there is none.
 */
export async function repeat<Journey extends { failure?: Failure | undefined }>(
  failure: Failure,
  travel: (names: string[]) => Promise<Journey>,
  maxAttempts = 24,
): Promise<Journey | undefined> {
  const { names } = failure;
  let attempts = 0;
  let shortest: Journey | undefined;
  async function fails(candidate: string[]): Promise<boolean> {
    attempts += 1;
    const journey = await travel(candidate);
    if (isSame(journey, failure)) shortest = journey;
    return isSame(journey, failure);
  }

  let count = 1;
  while (!(await fails(names.slice(-count)))) {
    if (count === names.length) return undefined;
    const isLast = attempts === maxAttempts - 1;
    count = isLast ? names.length : Math.min(names.length, Math.ceil(count * 1.4));
  }
  let needed = names.slice(-count);
  for (let index = needed.length - 2; index >= 0 && attempts < maxAttempts; index--) {
    const fewer = needed.toSpliced(index, 1);
    if (await fails(fewer)) needed = fewer;
  }
  return shortest;
}
