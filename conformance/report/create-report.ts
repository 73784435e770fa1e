import { stripVTControlCharacters } from 'node:util';
import { findCall } from '../../model/requests.ts';
import type { Check, Level } from '../checks/check.ts';
import { outOfTime, type Exchange } from '../http/record.ts';
import { withRequirements } from '../http/requirements.ts';
import { methodAndPath, statusOf } from '../http/response.ts';
import { emailDomain } from '../people/fixtures.ts';
import { getOrCreate } from '../people/get-or-create.ts';
import type { RunContext } from '../people/run-context.ts';
import {
  describeReason,
  describeResponse,
  invisible,
  plural,
  truncate,
  groupBy,
  listSome,
} from '../problems/describe.ts';
import type { Problem } from '../problems/problem.ts';
import type { CheckResult, RunResult } from '../checks/run.ts';
import { noteOfSharing } from '../requests/owners.ts';
import { listBlockers, listFindings, type Finding } from './findings.ts';

const maxCallsPerCheck = 12;
const maxProblems = 4;
/** Of what is wrong, so that it has two lines on a narrow terminal. */
const maxLineLength = 100;

/** Creates the content of the reports, without secrets, control characters and line breaks. */
export function createReport(run: RunResult, notes: string[] = []) {
  const { context } = run;
  const writer = createWriter(context);
  const { cleanTexts } = writer;
  const failed = new Set(
    run.results.flatMap(({ status, check }) => (status === 'failed' ? check.id : [])),
  );
  const blockersOf = mapBlockers(run.results);
  const silent = run.results.filter(({ check }) => blockersOf.get(check.id)?.length === 0);
  const findings = listFindings(run.results).map((each) => reportFinding(each, writer));
  return {
    /** Rises when a field is removed or changes its meaning. */
    version: 4,
    origin: run.origin,
    runId: run.runId,
    startedAt: run.startedAt.toISOString(),
    durationMs: Date.now() - run.startedAt.getTime(),
    verdict: [describeVerdict(run, findings[0]?.id), ...noteOfSharing(run.results)].join(' '),
    /** Causes first, each MUST before each SHOULD. */
    findings,
    results: run.results.map(({ check, ...result }) => ({
      ...wordsOf(check),
      ...cleanTexts({ status: result.status, note: noteOf(result, failed) }),
      /** Of a blocked check: the checks that are not met and tell why. */
      blockedBy: blockersOf.get(check.id),
      problems: result.problems.map(writer.reportProblem),
      calls: cleanTexts(result.exchanges.slice(0, maxCallsPerCheck).map(reportCall)),
      durationMs: Math.round(result.durationMs),
    })),
    userMessages: cleanTexts(run.userMessages),
    totals: {
      must: countStatuses(run.results, 'MUST', silent),
      should: countStatuses(run.results, 'SHOULD', silent),
    },
    /** Checks that are blocked for a reason that no finding tells. */
    notJudged: cleanTexts(groupByReason(silent, failed)),
    notes: [...notes, ...cleanTexts(notesOf(run))],
    leftovers: `at least ${plural(run.successes.registerUser, 'user')} and ${plural(run.successes.createProject, 'project')} stay on the server: ${deletionHint(context)}`,
  };
}

type Writer = ReturnType<typeof createWriter>;

/** Creates what writes texts and problems of a run into its report. */
function createWriter({ secrets, http }: RunContext) {
  const cleaned = new Map<string, string>();
  const clean = (text: string) =>
    getOrCreate(cleaned, text, () =>
      stripVTControlCharacters(secrets.mask(text)).replaceAll(invisible, (one) =>
        one === '\n'
          ? '\\n'
          : one.replaceAll(
              /./gs,
              (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
            ),
      ),
    );
  const cleanTexts = <Value>(value: Value) =>
    JSON.parse(JSON.stringify(value), (_key, each: unknown) =>
      typeof each === 'string' ? clean(each) : each,
    ) as Value;
  return {
    cleanTexts,
    reportProblem: ({ description, detail, userSees, exchanges }: Problem) => {
      const decisive = exchanges.slice(-1);
      const calls = withRequirements(http.exchanges, exchanges);
      // Of requests at once, the decisive one may have ended before another.
      const others = calls.filter((each) => !decisive.includes(each));
      return cleanTexts({
        ...fitLine(clean(description), detail),
        userSees,
        calls: [...others, ...decisive].map(reportCall),
      });
    },
  };
}

const reportCall = (exchange: Exchange) => ({
  person: exchange.person,
  /** Unique: a person may have several browsers. */
  browserName: exchange.browserName,
  operation: nameOf(exchange),
  /** 0 without a response. */
  status: statusOf(exchange),
  request: describeRequest(exchange),
  response: describeResponse(exchange, timeToLookUp(exchange)),
});

/** Returns when the request of a failure was sent: the log of the backend has more. */
function timeToLookUp({ response, receivedAt, durationMs }: Exchange): string {
  if (response && response.status < 500) return '';
  const time = new Date(receivedAt - durationMs).toISOString().slice(11, 23);
  return `, sent at ${time} UTC${response ? '' : `, ended ${(durationMs / 1000).toFixed(2)} s later`}`;
}

function reportFinding(finding: Finding, writer: Writer) {
  const { checks, summary, situations, problems, causes } = finding;
  const [first] = problems as [Problem];
  return {
    ...wordsOf(checks[0]!),
    requirement: first.requirement ?? first.cause?.requirement ?? checks[0]!.requirement,
    /** The check to begin with is the first. */
    ids: checks.map(({ id }) => id),
    ...writer.cleanTexts({
      /** What several problems have in common. */
      summary: summary && truncate(summary, maxLineLength - 1),
      situations,
    }),
    problems: problems.slice(0, summary === undefined ? maxProblems : 1).map(writer.reportProblem),
    problemCount: problems.length,
    /** Checks whose failure may be the cause of this one. */
    causes: causes.map(({ id }) => id),
  };
}

/** Returns the checks whose findings tell why a check is blocked, by its id. */
const mapBlockers = (results: CheckResult[]) =>
  new Map(
    results
      .filter(({ status }) => status === 'blocked')
      .map((each) => [each.check.id, listBlockers(each, results).map(({ id }) => id)]),
  );

const groupByReason = (silent: CheckResult[], failed: Set<string>) =>
  [...groupBy(silent, ({ reason }) => describeReason(reason!, failed))].map(
    ([reason, blocked]) => ({
      reason,
      limit: blocked[0]!.reason?.limit,
      ids: blocked.map(({ check }) => check.id),
    }),
  );

/** Moves what is too long for the first line to the lines after it. */
const fitLine = (description: string, detail?: string) =>
  description.length <= maxLineLength
    ? { description, detail }
    : {
        description: truncate(description, maxLineLength - 1),
        detail: [description, detail].filter(Boolean).join(' '),
      };

/** Returns what a check that is met says all the same, or why one is blocked or does not apply. */
const noteOf = ({ note, reason }: Pick<CheckResult, 'note' | 'reason'>, failed: Set<string>) =>
  reason ? describeReason(reason, failed) : note;

/** Returns what checks say that no finding tells. */
const notesOf = ({ results, context: { http } }: RunResult) => [
  ...results.flatMap(({ status, note }) => (status === 'passed' && note ? note : [])),
  ...(http.resentCount() > 0
    ? [`${plural(http.resentCount(), 'request')} sent again, because a kept connection was closed.`]
    : []),
  ...noteOfLimits(http.exchanges.filter((each) => each.isThrottled && statusOf(each) === 503)),
];

/** The kit waits and sends such a request again, and the app does not. */
function noteOfLimits(refused: Exchange[]) {
  const addresses = listSome([...new Set(refused.map(({ request }) => methodAndPath(request)))]);
  const which = `${plural(refused.length, 'response')} with 503 and Retry-After to ${addresses}`;
  return refused.length > 0 ? [`${which}: users see an error.`] : [];
}

const wordsOf = ({ id, level, title, requirement, statements }: Check) => ({
  id,
  level,
  title,
  requirement,
  statements,
});

/** Returns how to delete what all runs leave, also the account of a number in place of an email. */
const deletionHint = ({ fixtures }: RunContext) =>
  `delete from users where email like '%${emailDomain}%' or email = '${fixtures.number}'`;

function countStatuses(results: CheckResult[], wanted: Level, silent: CheckResult[] = []) {
  const ofLevel = results.filter(({ check }) => check.level === wanted);
  const count = (...statuses: CheckResult['status'][]) =>
    ofLevel.filter(({ status }) => statuses.includes(status)).length;
  const notJudged = ofLevel.filter((result) => silent.includes(result)).length;
  return {
    total: ofLevel.length,
    passed: count('passed'),
    failed: count('failed'),
    blocked: count('blocked') - notJudged,
    notJudged,
    skipped: count('skipped'),
  };
}

function describeVerdict({ results, only }: RunResult, first?: string): string {
  const isSelection = only.length > 0;
  const [must, should] = [countStatuses(results, 'MUST'), countStatuses(results, 'SHOULD')];
  const unmet = (count: number, level: Level) =>
    `${plural(count, `${level} check`)} ${count === 1 ? 'is' : 'are'} not met.`;
  const advice = should.failed > 0 ? ` ${unmet(should.failed, 'SHOULD')}` : '';
  if (must.failed > 0)
    return `The app does not work with this backend: ${unmet(must.failed, 'MUST')}${advice} Begin with ${first}.`;
  const blocked = results.filter(({ status }) => status === 'blocked');
  const isLate = blocked.every(({ reason }) => reason?.limit === 'time');
  const reason = isLate ? ` for ${outOfTime.words}` : '';
  if (must.blocked > 0)
    return `The result is incomplete: ${plural(must.blocked, 'MUST check')} could not run${reason}.${advice}`;
  const judgedCount = must.passed + should.passed + should.failed;
  if (isSelection && must.total + should.total > 0 && judgedCount === 0)
    return `None of the selected MUST and SHOULD checks could be judged.${advice}`;
  const success = isSelection
    ? 'The selected MUST checks are met'
    : 'The app works with this backend';
  const ids = blocked.flatMap(({ check }) => (check.level === 'SHOULD' ? check.id : []));
  return ids.length > 0
    ? `${success}, but ${plural(ids.length, 'SHOULD check')} could not be judged: ${listSome(ids)}.${advice}`
    : `${success}.${advice}`;
}

/** Returns the name that the contract has for a request. */
const nameOf = ({ request }: Exchange): string =>
  findCall(request.method, request.path)?.call ?? methodAndPath(request);

function describeRequest({ request, cookies }: Exchange): string {
  const { method, path, headers } = request;
  const text = request.body === undefined ? '' : ` ${String(request.body)}`;
  const start = truncate(text, 160);
  const body = start === text ? text : `${start} (${Buffer.byteLength(text)} bytes)`;
  const token = headers['x-xsrf-token'] ? ' X-XSRF-TOKEN: ***' : '';
  const names = cookies.map(({ name }) => name).join(', ');
  return `${method} ${path}${body}${token}${names && ` (cookies: ${names})`}`;
}
