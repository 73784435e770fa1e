/** The format of conformance.json. */
import type { Level } from '../checks/check.ts';
import type { Reason } from '../http/record.ts';
import type { Status } from '../problems/problem.ts';

/** One request and its response, without passwords, cookies and tokens. */
type Call = {
  person: string;
  /** Unique: a person may have several browsers. */
  browserName: string;
  /** The operationId, or the method and path of another request. */
  operation: string;
  /** 0 without a response. */
  status: number;
  request: string;
  response: string;
};

export type ReportedProblem = {
  /** What is wrong, in at most 100 characters. */
  description: string;
  detail?: string | undefined;
  /** What the app shows its users. */
  userSees?: string | undefined;
  calls: Call[];
};

/** What a report says of a check. */
type Words = {
  id: string;
  level: Level;
  title: string;
  requirement: string;
  statements: string[];
};

/** One check, or several that are not met for one cause. Its id is that of the first. */
export type ReportedFinding = Words & {
  /** The checks that are not met, the one to begin with first. */
  ids: string[];
  /** What the problems have in common, in at most 100 characters. Absent for one. */
  summary?: string | undefined;
  /** In which situations the summary holds. */
  situations: string[];
  /** The first problems, or one that stands for all of the summary. */
  problems: ReportedProblem[];
  problemCount: number;
  /** Shell commands that show the first problem again. Empty when commands cannot. */
  reproduce: string[];
  /** Checks whose failure may be the cause of this one. Empty for a cause. */
  causes: string[];
};

export type ReportedResult = Words & {
  status: Status;
  note?: string | undefined;
  /** Of a blocked check: the checks that are not met and tell why. Empty if none does. */
  blockedBy?: string[] | undefined;
  problems: ReportedProblem[];
  /** The first requests of the check. */
  calls: Call[];
  durationMs: number;
};

export type Totals = Record<'total' | 'passed' | 'failed' | 'blocked' | 'skipped', number> & {
  /** Blocked for a reason that no finding tells, such as lack of time. */
  notJudged: number;
};

export type Report = {
  /** Rises when a field is removed or changes its meaning. */
  version: 3;
  origin: string;
  runId: string;
  startedAt: string;
  durationMs: number;
  /** The result in a sentence. */
  verdict: string;
  /** Causes first, each MUST before each SHOULD. Empty when all checks are met. */
  findings: ReportedFinding[];
  /** All checks with their status, in the order of the run. */
  results: ReportedResult[];
  /** What users read. */
  userMessages: {
    id: string;
    situation: string;
    status: number;
    response: string;
    message: string;
  }[];
  totals: { must: Totals; should: Totals };
  /** MUST and SHOULD checks that are blocked for a reason that no finding tells. */
  notJudged: { reason: string; limit?: Reason['limit']; ids: string[] }[];
  /** Remarks about the connection and what was tried. */
  notes: string[];
  /** What the run left on the server. */
  leftovers: string;
};
