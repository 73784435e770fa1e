import type { Check } from './checks/check.ts';
import type { Exchange } from './http/client.ts';
import type { Walked } from './journeys/walked.ts';
import type { RunContext } from './run-context.ts';
import type { Problem } from './verdict.ts';

/** One row of "What your users will read". */
export type UserMessage = {
  id: string;
  situation: string;
  status: number;
  response: string;
  message: string;
};

export type CheckResult = {
  check: Check;
  /** `blocked`: what it builds on does not work, and is reported elsewhere. `skipped`: this backend has no such thing. */
  status: 'passed' | 'failed' | 'noted' | 'skipped' | 'blocked';
  problems: Problem[];
  note: string | undefined;
  /** What was said for it. */
  exchanges: Exchange[];
  durationMs: number;
};

export type RunResult = {
  origin: string;
  /** Which checks were asked for; all when empty. */
  only: string[];
  seed: number;
  runId: string;
  startedAt: Date;
  durationMs: number;
  results: CheckResult[];
  /** What people read where something goes wrong. */
  userMessages: UserMessage[];
  journeyCoverage: Walked | undefined;
  /** The answers of the contract, with how often each came. */
  documentedResponses: { operation: string; status: number; count: number; invalidCount: number }[];
  throttling: RunContext['http']['throttling'];
  leftovers: { users: number; projects: number };
  context: RunContext;
};
