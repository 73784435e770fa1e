import type { RunContext } from '../people/run-context.ts';
import type { Topic } from '../problems/causes.ts';
import type { Note } from '../problems/problem.ts';

/**
 * MUST: otherwise the app breaks, tells its users something false, or opens their accounts to
 * others. SHOULD: what the contract requires beyond that.
 */
export const levels = ['MUST', 'SHOULD'] as const;
export type Level = (typeof levels)[number];

export type Run = (context: RunContext) => Promise<Note>;

export type Check = {
  /** Permanent: the id of a removed check is never reused. */
  id: string;
  level: Level;
  /** What holds when the check is met. */
  title: string;
  /** What a backend has to do to meet it. */
  requirement: string;
  /** Causes about the same have this check first in their finding. */
  about?: Topic;
  /** Ids of statements in docs/specification.md. */
  statements: string[];
  /**
   * The checks whose failure explains one of this check, by id. A group stands for its MUST checks.
   * What explains one of them explains this one too.
   */
  after: string[];
  /** Whether it judges the requests of other checks, so that it runs after them. */
  inspects?: boolean;
  run: Run;
};

const ofLevel =
  (level: Level) =>
  (id: string, check: Omit<Check, 'id' | 'level'>): Check => ({ id, level, ...check });

export const must = ofLevel('MUST');
export const should = ofLevel('SHOULD');
