import type { Check } from './checks/check.ts';
import type { Call } from '../model/calls.ts';
import type { Exchange } from './http/client.ts';
import type { RunContext } from './run-context.ts';
import type { Problem } from './verdict.ts';

export type CheckResult = {
  check: Check;
  /** `blocked`: a precondition failed. `skipped`: the check does not apply to this backend. */
  status: 'passed' | 'failed' | 'noted' | 'skipped' | 'blocked';
  problems: Problem[];
  note: string | undefined;
  exchanges: Exchange[];
  durationMs: number;
};

export type RunResult = {
  origin: string;
  /** The selection of checks. Empty for all checks. */
  only: string[];
  seed: number;
  runId: string;
  startedAt: Date;
  durationMs: number;
  results: CheckResult[];
  userMessages: UserMessage[];
  /** How often each call succeeded. A run cannot delete the users and projects that it creates. */
  successes: Record<Call, number>;
  throttling: RunContext['http']['throttling'];
  context: RunContext;
};

/** A row of the table "What your users will read". */
export type UserMessage = {
  id: string;
  situation: string;
  status: number;
  response: string;
  message: string;
};
