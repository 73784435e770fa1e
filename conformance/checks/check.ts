import type { RunContext } from '../run-context.ts';
import type { Verdict } from '../verdict.ts';
import words from './words.json' with { type: 'json' };

/**
 * MUST: otherwise the app breaks, or tells its users something false. SHOULD: what the contract
 * requires beyond that. PROFILE: a choice the specification leaves open; it never fails.
 */
export type Level = 'MUST' | 'SHOULD' | 'PROFILE';

/** Permanent: the id of a removed check is never reused. */
export type CheckId = keyof typeof words;

/** What `words.json` says of a check. */
type Words = {
  level: Level;
  /** What holds when the check is met. */
  title: string;
  /** What a backend has to do to meet it. */
  requirement: string;
  /** Ids of statements in docs/specification.md. */
  statements: string[];
};

export type Check = Words & { id: string };
export type Run = (context: RunContext) => Promise<Verdict>;

/** The functions that judge a backend, by the id of their check. */
export type Verdicts = Partial<Record<CheckId, Run>>;

/** The words of all checks, in the order in which the checks run. */
export const wordsOf = words as Record<CheckId, Words>;

/** Creates verdicts from rows of an id and a value. */
export const verdictsOf = <Row extends { id: CheckId }>(
  rows: readonly Row[],
  run: (context: RunContext, row: Row) => Promise<Verdict>,
): Verdicts =>
  Object.fromEntries(rows.map((row) => [row.id, (context: RunContext) => run(context, row)]));
