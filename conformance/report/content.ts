import { describeResponse, shortened } from '../checks/check.ts';
import type { Problem } from '../checks/check.ts';
import { curlOf } from '../http/curl.ts';
import type { Exchange } from '../http/wire.ts';
import type { Result, Run } from '../run.ts';

/** One call, as reports show it: without a secret in it. */
export type ShownCall = { by: string; sent: string; got: string; curl: string };

export type ShownProblem = { what: string; sees: string | undefined; calls: ShownCall[] };

export type ShownResult = {
  id: string;
  level: string;
  title: string;
  needs: string;
  statements: string[];
  status: Result['status'];
  note: string | undefined;
  problems: ShownProblem[];
  /** What was said for it. */
  calls: ShownCall[];
  milliseconds: number;
};

export type Totals = { of: number; met: number; failed: number; blocked: number; skipped: number };

/** Everything that a report says, in whatever form. Nothing in it is secret any more. */
export type Content = {
  origin: string;
  seed: number;
  mark: string;
  startedAt: string;
  milliseconds: number;
  verdict: string;
  failures: ShownResult[];
  results: ShownResult[];
  readings: Run['readings'];
  totals: {
    must: Totals;
    should: Totals;
    profile: number;
    operations: { met: number; of: number };
    answers: { met: number; of: number; missing: string[] };
    states: { met: number; of: number };
    transitions: { met: number; of: number; missing: string[] };
  };
  beyond: { name: string; why: string }[];
  journeys: {
    name: string;
    machine: string;
    steps: number;
    of: number;
    trouble: string | undefined;
    milliseconds: number;
  }[];
  waits: string | undefined;
  left: string;
};

const order = { MUST: 0, SHOULD: 1, PROFILE: 2 };

export function contentOf(run: Run): Content {
  const { world, results, walked } = run;
  const masked = (text: string) => world.secrets.masked(text);
  const shownCall = (exchange: Exchange): ShownCall => ({
    by: exchange.by,
    sent: masked(sentOf(exchange)),
    got: masked(describeResponse(exchange)),
    curl: masked(curlOf(run.origin, exchange)),
  });
  const shownProblem = (problem: Problem): ShownProblem => ({
    what: masked(problem.what),
    sees: problem.sees === undefined ? undefined : masked(problem.sees),
    calls: sequenceOf(problem.exchanges, world.setups).map(shownCall),
  });
  const shown = results.map(
    ({ check, status, note, problems, exchanges, milliseconds }): ShownResult => ({
      id: check.id,
      level: check.level,
      title: check.title,
      needs: check.needs,
      statements: check.statements,
      status,
      note: note === undefined ? undefined : masked(note),
      problems: problems.map(shownProblem),
      calls: exchanges.slice(0, 12).map(shownCall),
      milliseconds: Math.round(milliseconds),
    }),
  );
  const failures = shown
    .filter(({ status }) => status === 'failed')
    .toSorted((one, other) => order[one.level as 'MUST'] - order[other.level as 'MUST']);
  const totals = (level: string): Totals => {
    const of = shown.filter((each) => each.level === level);
    const count = (status: Result['status']) => of.filter((each) => each.status === status).length;
    return {
      of: of.length,
      met: count('met') + count('noted'),
      failed: count('failed'),
      blocked: count('blocked'),
      skipped: count('skipped'),
    };
  };
  const [must, should] = [totals('MUST'), totals('SHOULD')];
  const answered = run.documented.filter(({ times, faults }) => times > 0 && faults < times);
  const operations = [...new Set(run.documented.map(({ operation }) => operation))];
  const working = operations.filter((operation) =>
    answered.some((each) => each.operation === operation && each.status < 300),
  );
  const missing = run.documented.filter((each) => !answered.includes(each));
  return {
    origin: run.origin,
    seed: run.seed,
    mark: run.mark,
    startedAt: run.startedAt.toISOString(),
    milliseconds: Math.round(run.milliseconds),
    verdict: verdictOf(must, should, run.only.length > 0),
    failures,
    results: shown,
    readings: run.readings.map((row) => ({
      ...row,
      answer: masked(row.answer),
      reads: masked(row.reads),
    })),
    totals: {
      must,
      should,
      profile: shown.filter(({ level }) => level === 'PROFILE').length,
      operations: { met: working.length, of: operations.length },
      answers: {
        met: answered.length,
        of: run.documented.length,
        missing: missing.map(({ operation, status }) => `${operation} ${status}`),
      },
      states: { met: walked?.states.reached.length ?? 0, of: walked?.states.all.length ?? 0 },
      transitions: {
        met: walked?.transitions.reached.length ?? 0,
        of: walked?.transitions.all.length ?? 0,
        missing:
          walked?.transitions.all.filter((name) => !walked.transitions.reached.includes(name)) ??
          [],
      },
    },
    beyond: walked?.beyond ?? [],
    journeys: (walked?.journeys ?? []).map(
      ({ name, machine, steps, of, trouble, milliseconds }) => ({
        name,
        machine,
        steps,
        of,
        trouble: trouble && masked(`${trouble.move}: ${trouble.what}`),
        milliseconds: Math.round(milliseconds),
      }),
    ),
    waits: waitsOf(run),
    left: `Left behind: ${plural(run.left.users, 'user')} and ${plural(run.left.projects, 'project')}, all with "${run.mark}" in the email or by such a user.`,
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

function waitsOf({ waits }: Run): string | undefined {
  if (waits.times === 0 && waits.refused === 0) return undefined;
  const waited = `The backend asked to wait ${waits.times} times (429 or 503 with Retry-After), and the kit waited ${(waits.milliseconds / 1000).toFixed(1)} s in all.`;
  return waits.refused > 0
    ? `${waited} ${waits.refused} times it asked for longer than the kit waits.`
    : waited;
}

/** The calls that show a problem, with what had to come before them. */
function sequenceOf(exchanges: Exchange[], setups: Map<string, Exchange[]>): Exchange[] {
  const all = exchanges.flatMap((exchange) => {
    const hasCookie = exchange.sent.headers['cookie'] !== undefined;
    return hasCookie ? [...(setups.get(exchange.by) ?? []), exchange] : [exchange];
  });
  return [...new Set(all)];
}

/** A call in one line. */
function sentOf({ sent }: Exchange): string {
  const body = sent.body === undefined ? '' : ` ${shortened(String(sent.body), 160)}`;
  const token = sent.headers['x-xsrf-token'] ? ' X-XSRF-TOKEN: ***' : '';
  const cookies = (sent.headers['cookie'] ?? '')
    .split('; ')
    .map((pair) => pair.split('=')[0])
    .filter(Boolean);
  const sentCookies = cookies.length > 0 ? ` (cookies: ${cookies.join(', ')})` : '';
  return `${sent.method} ${sent.path}${body}${token}${sentCookies}`;
}

export const plural = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
