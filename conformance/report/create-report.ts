import { describeResponse, truncate } from '../describe.ts';
import type { Problem } from '../verdict.ts';
import { curlOf } from '../http/curl.ts';
import type { Exchange } from '../http/client.ts';
import type { CheckResult, RunResult } from '../results.ts';

/** One call, as reports show it: without a secret in it. */
export type ReportedCall = { browserName: string; request: string; response: string; curl: string };

export type ReportedProblem = { what: string; sees: string | undefined; calls: ReportedCall[] };

export type ReportedResult = {
  id: string;
  level: string;
  title: string;
  needs: string;
  statements: string[];
  status: CheckResult['status'];
  note: string | undefined;
  problems: ReportedProblem[];
  /** What was said for it. */
  calls: ReportedCall[];
  durationMs: number;
};

export type Totals = {
  total: number;
  passed: number;
  failed: number;
  blocked: number;
  skipped: number;
};

/** Everything that a report says, in whatever form. Nothing in it is secret any more. */
export type Report = {
  origin: string;
  seed: number;
  runId: string;
  startedAt: string;
  durationMs: number;
  verdict: string;
  failures: ReportedResult[];
  results: ReportedResult[];
  userMessages: RunResult['userMessages'];
  totals: {
    must: Totals;
    should: Totals;
    profile: number;
    operations: { met: number; of: number };
    answers: { met: number; of: number; missing: string[] };
    states: { met: number; of: number };
    transitions: { met: number; of: number; missing: string[] };
  };
  unreachable: { name: string; why: string }[];
  journeys: {
    name: string;
    machine: string;
    steps: number;
    of: number;
    trouble: string | undefined;
    milliseconds: number;
  }[];
  throttling: string | undefined;
  leftovers: string;
};

const order = { MUST: 0, SHOULD: 1, PROFILE: 2 };

export function createReport(run: RunResult): Report {
  const { context, results, journeyCoverage } = run;
  const masked = (text: string) => context.secrets.mask(text);
  const shownCall = (exchange: Exchange): ReportedCall => ({
    browserName: exchange.browserName,
    request: masked(sentOf(exchange)),
    response: masked(describeResponse(exchange)),
    curl: masked(curlOf(run.origin, exchange)),
  });
  const shownProblem = (problem: Problem): ReportedProblem => ({
    what: masked(problem.description),
    sees: problem.userSees === undefined ? undefined : masked(problem.userSees),
    calls: sequenceOf(problem.exchanges, context.setupExchanges).map(shownCall),
  });
  const shown = results.map(
    ({ check, status, note, problems, exchanges, durationMs }): ReportedResult => ({
      id: check.id,
      level: check.level,
      title: check.title,
      needs: check.requirement,
      statements: check.statements,
      status,
      note: note === undefined ? undefined : masked(note),
      problems: problems.map(shownProblem),
      calls: exchanges.slice(0, 12).map(shownCall),
      durationMs: Math.round(durationMs),
    }),
  );
  const failures = shown
    .filter(({ status }) => status === 'failed')
    .toSorted((one, other) => order[one.level as 'MUST'] - order[other.level as 'MUST']);
  const totals = (level: string): Totals => {
    const of = shown.filter((each) => each.level === level);
    const count = (status: CheckResult['status']) =>
      of.filter((each) => each.status === status).length;
    return {
      total: of.length,
      passed: count('passed') + count('noted'),
      failed: count('failed'),
      blocked: count('blocked'),
      skipped: count('skipped'),
    };
  };
  const [must, should] = [totals('MUST'), totals('SHOULD')];
  const answered = run.documentedResponses.filter(
    ({ count, invalidCount }) => count > 0 && invalidCount < count,
  );
  const operations = [...new Set(run.documentedResponses.map(({ operation }) => operation))];
  const working = operations.filter((operation) =>
    answered.some((each) => each.operation === operation && each.status < 300),
  );
  const missing = run.documentedResponses.filter((each) => !answered.includes(each));
  return {
    origin: run.origin,
    seed: run.seed,
    runId: run.runId,
    startedAt: run.startedAt.toISOString(),
    durationMs: Math.round(run.durationMs),
    verdict: verdictOf(must, should, run.only.length > 0),
    failures,
    results: shown,
    userMessages: run.userMessages.map((row) => ({
      ...row,
      answer: masked(row.response),
      reads: masked(row.message),
    })),
    totals: {
      must,
      should,
      profile: shown.filter(({ level }) => level === 'PROFILE').length,
      operations: { met: working.length, of: operations.length },
      answers: {
        met: answered.length,
        of: run.documentedResponses.length,
        missing: missing.map(({ operation, status }) => `${operation} ${status}`),
      },
      states: {
        met: journeyCoverage?.states.reached.length ?? 0,
        of: journeyCoverage?.states.all.length ?? 0,
      },
      transitions: {
        met: journeyCoverage?.transitions.reached.length ?? 0,
        of: journeyCoverage?.transitions.all.length ?? 0,
        missing:
          journeyCoverage?.transitions.all.filter(
            (name) => !journeyCoverage.transitions.reached.includes(name),
          ) ?? [],
      },
    },
    unreachable: journeyCoverage?.beyond ?? [],
    journeys: (journeyCoverage?.journeys ?? []).map(
      ({ name, machine, steps, of, trouble, milliseconds }) => ({
        name,
        machine,
        steps,
        of,
        trouble: trouble && masked(`${trouble.move}: ${trouble.what}`),
        milliseconds: Math.round(milliseconds),
      }),
    ),
    throttling: waitsOf(run),
    leftovers: `Left behind: ${plural(run.leftovers.users, 'user')} and ${plural(run.leftovers.projects, 'project')}, all with "${run.runId}" in the email or by such a user.`,
  };
}

function verdictOf(must: Totals, should: Totals, partly: boolean): string {
  const advice =
    should.failed > 0
      ? ` ${plural(should.failed, 'SHOULD')} ${should.failed > 1 ? 'are' : 'is'} not met.`
      : '';
  if (must.failed > 0) {
    return `The app does not work on this backend: ${plural(must.failed, 'MUST')} ${must.failed > 1 ? 'are' : 'is'} not met.${advice}`;
  }
  if (must.blocked > 0)
    return `The app could not be tried in full: ${plural(must.blocked, 'MUST')} could not be looked at.${advice}`;
  return `${partly ? 'What was looked at is as it must be.' : 'The app works on this backend.'}${advice}`;
}

function waitsOf({ throttling }: RunResult): string | undefined {
  if (throttling.count === 0 && throttling.ignored === 0) return undefined;
  const waited = `The backend asked to wait ${throttling.count} times (429 or 503 with Retry-After), and the kit waited ${(throttling.totalMs / 1000).toFixed(1)} s in all.`;
  return throttling.ignored > 0
    ? `${waited} ${throttling.ignored} times it asked for longer than the kit waits.`
    : waited;
}

/** The calls that show a problem, with what had to come before them. */
function sequenceOf(exchanges: Exchange[], setups: Map<string, Exchange[]>): Exchange[] {
  const all = exchanges.flatMap((exchange) => {
    const hasCookie = exchange.request.headers['cookie'] !== undefined;
    return hasCookie ? [...(setups.get(exchange.browserName) ?? []), exchange] : [exchange];
  });
  return [...new Set(all)];
}

/** A call in one line. */
function sentOf({ request }: Exchange): string {
  const body = request.body === undefined ? '' : ` ${truncate(String(request.body), 160)}`;
  const token = request.headers['x-xsrf-token'] ? ' X-XSRF-TOKEN: ***' : '';
  const cookies = (request.headers['cookie'] ?? '')
    .split('; ')
    .map((pair) => pair.split('=')[0])
    .filter(Boolean);
  const sentCookies = cookies.length > 0 ? ` (cookies: ${cookies.join(', ')})` : '';
  return `${request.method} ${request.path}${body}${token}${sentCookies}`;
}

export const plural = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
