import type { Verdict } from '../verdict.ts';
import type { RunContext } from '../run-context.ts';

/**
 * MUST: otherwise the app breaks, or tells its users something false. SHOULD: what the contract
 * requires beyond that. PROFILE: a choice the specification leaves open; it never fails.
 */
export type Level = 'MUST' | 'SHOULD' | 'PROFILE';

export type Check = {
  /** Permanent: the id of a removed check is never reused. */
  id: string;
  level: Level;
  /** What holds when the check is met. */
  title: string;
  /** What a backend has to do to meet it. */
  requirement: string;
  /** Ids of statements in docs/specification.md. */
  statements: string[];
  /**
   * Ids of checks and groups that are causes: if one of them fails too, the report lists a failure
   * of this check as its consequence.
   */
  needs?: string[];
  run: (context: RunContext) => Promise<Verdict>;
};

type Definition = Omit<Check, 'id' | 'level'>;

export const must = (id: string, check: Definition): Check => ({ id, level: 'MUST', ...check });
export const should = (id: string, check: Definition): Check => ({ id, level: 'SHOULD', ...check });
