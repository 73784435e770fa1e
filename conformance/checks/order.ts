import { checks } from './all.ts';
import type { Check } from './check.ts';

export const groupOf = (id: string) => id.split('-')[0]!;

const removedIds =
  'ACCOUNT-17 ACCOUNT-21 ERR-8 ERR-11 ERR-33 JOURNEY-1 JOURNEY-2 JOURNEY-3 JOURNEY-4 JOURNEY-5 JOURNEY-6 PROJECT-11 PROJECT-18 PROJECT-21 PROJECT-25 PROJECT-27 PROJECT-28 REACH-4 REACH-7 REACH-9 REACH-12 SIGNIN-18 UI-1 XSRF-4 XSRF-6'.split(
    ' ',
  );

/** Throws if a check has the id of another one. */
export function expectOwnIds(all: Pick<Check, 'id'>[]) {
  for (const [index, { id }] of all.entries()) {
    if (removedIds.includes(id)) throw new Error(`${id} was the id of a removed check.`);
    if (all.slice(0, index).some((each) => each.id === id))
      throw new Error(`Two checks have the id ${id}.`);
  }
}

expectOwnIds(checks);

/** Each check after those whose failure explains one of it, with all of them. */
const causes = new Map<Check, Set<Check>>();

function add(check: Check, dependents: Check[] = []): Set<Check> {
  const path = [...dependents, check];
  if (dependents.includes(check))
    throw new Error(`Checks explain each other: ${path.map(({ id }) => id).join(', ')}.`);
  const known = causes.get(check);
  if (known) return known;
  const direct = check.after.flatMap((name) => find(check, name));
  const all = new Set(direct.flatMap((each) => [...add(each, path), each]));
  causes.set(check, all);
  return all;
}

function find({ id }: Check, name: string): Check[] {
  const isMeant = (each: Check) =>
    each.id === name || (each.level === 'MUST' && groupOf(each.id) === name);
  const found = checks.filter(isMeant);
  if (found.length === 0) throw new Error(`${id} comes after ${name}, which is no check.`);
  return found;
}

for (const check of checks) add(check);

const causalOrder = [...causes.keys()];

/** Compares two checks by their causal order. */
export const compareCauses = (a: Check, b: Check): number =>
  causalOrder.indexOf(a) - causalOrder.indexOf(b);

/** Returns whether a failure of `cause` explains one of `check`. */
export const isCauseOf = (cause: Check, check: Check): boolean =>
  causes.get(check)?.has(cause) === true;

const isMust = ({ level, inspects }: Check) => level === 'MUST' && !inspects;

const isEarly = (check: Check) =>
  isMust(check) || checks.some((other) => isMust(other) && isCauseOf(check, other));

const rankOf = (check: Check) => (check.inspects ? 2 : isEarly(check) ? 0 : 1);

/**
 * All checks in the order of a run: each after its causes, MUST checks as early as these
 * allow, and those that inspect last.
 */
export const runOrder = causalOrder.toSorted((a, b) => rankOf(a) - rankOf(b));
