import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { checks } from '../checks/all.ts';
import { eachText, textNames } from '../http/project-texts.ts';
import { createSecrets } from '../http/secrets.ts';
import { describeResponse, listSome, truncate } from '../problems/describe.ts';
import { outOfTime, type Exchange, type Reason } from '../http/record.ts';
import { sharedNote } from '../requests/owners.ts';
import type { Problem } from '../problems/problem.ts';
import { findByIdOrText } from '../requests/lists.ts';
import { createReport } from '../report/create-report.ts';
import { listBlockers, listFindings } from '../report/findings.ts';
import { renderHtml } from '../report/html.ts';
import { renderJunit } from '../report/junit.ts';
import type { Report } from '../report/schema.ts';
import { viewOf } from '../report/summary.ts';
import { renderTerminal } from '../report/terminal.ts';
import { run, type CheckResult, type RunResult } from '../checks/run.ts';
import { exemplary, startBackend, withHeaders, type Change } from './backends/backend.ts';
import * as change from './backends/changes.ts';
import { errorFaults } from './backends/faults/errors.ts';
import { leakFaults } from './backends/faults/leaks.ts';
import { runKit } from './backends/run-kit.ts';
import { TestClock } from './backends/test-clock.ts';
import { closedConnection, restartAfter, type BackendResponse } from './backends/stub-server.ts';

const specification = readFileSync(new URL('../../docs/specification.md', import.meta.url), 'utf8');

/** Runs the kit against a backend with these changes. */
const runWith = (changes: Change[], only: string[] = []) =>
  runKit((clock) => startBackend(clock, exemplary, ...changes), { only });

let result: RunResult;
let report: Report;
beforeAll(async () => {
  const faults = [
    errorFaults['ERR-1: error messages are in "detail"']!,
    leakFaults['LEAK-2: the registerUser response repeats the password']!,
  ];
  // All that have to do with passwords, cookies and tokens. The others take most of the time.
  result = await runWith(faults, ['ACCOUNT', 'COOKIE', 'ERR', 'LEAK', 'SIGNIN', 'XSRF']);
  report = createReport(result);
});

test('a report accuses a backend of nothing but its faults', () => {
  const causes = report.findings.filter((finding) => finding.causes.length === 0);
  // A response that repeats its request has the role that ACCOUNT-22 sends.
  expect(causes.map(({ id }) => id)).toEqual(['ERR-1', 'LEAK-2', 'ACCOUNT-22']);
});

test('the terminal report starts with failures: what users see and the decisive request', () => {
  const text = renderTerminal(report);
  expect(text.trimStart().startsWith('MUST not met: ')).toBe(true);
  const rowOf = (label: string) => new RegExp(`(?<=^ +${label} +)\\S.*`, 'm').exec(text)?.[0];
  expect(rowOf('users see')).toBe('red banner: "Internal Server Error"');
  expect(rowOf('before')).toBe('ada: registerUser');
  expect(rowOf('request')).toMatch(/^POST \/api\/v1\/auth\/login /);
  expect(rowOf('response')).toMatch(/^401 /);
  expect(text).toContain(`tracker-conformance ${report.origin} --only ${report.findings[0]!.id}`);
  expect(text).toMatch(/note +A session is valid after \d+ s without a call, and \d+ sign-ins/);
  const { registerUser, createProject } = result.successes;
  expect(text).toContain(
    `at least ${registerUser} users and ${createProject} projects stay on the server`,
  );
  const more = renderTerminal(report, { verbose: true });
  expect(text).not.toContain('What your users will read');
  expect(more.indexOf('What your users will read')).toBeLessThan(more.indexOf('Totals'));
});

test.each([80, 120])('on a terminal of %i columns, a finding has at most ten lines', (width) => {
  const text = renderTerminal(report, { width });
  const sections = text
    .trim()
    .split('\n\n')
    .filter((part) => / not met: /.test(part.slice(0, 20)));
  const again = sections.pop()!;
  const causes = report.findings.filter((finding) => finding.causes.length === 0);
  expect(sections.length).toBe(causes.length);
  for (const [index, section] of sections.entries()) {
    const lines = section.split('\n');
    expect(lines.length).toBeLessThanOrEqual(10);
    expect(lines.filter((line) => line.length > width)).toEqual([]);
    const words = section.replaceAll(/\s+/g, ' ');
    expect(words).toContain(` required ${causes[index]!.requirement} `);
  }
  expect(again).toBe(sections[0]!.split('\n  where')[0]);
  const rows = text.match(new RegExp(`.{1,${width}}|^$`, 'gm'))!;
  expect(rows.slice(-23).join('\n')).toContain(again);
});

test('refusals with one fault are one finding that names their checks and situations', () => {
  const finding = report.findings.find(({ ids }) => ids[0] === 'ERR-1');
  expect(finding!.ids).toEqual(expect.arrayContaining(['ERR-2', 'ERR-3', 'ERR-17', 'XSRF-5']));
  expect(finding!.summary).toMatch(/^\d\d kinds of refusals have "detail" and no "message"\.$/);
  expect(finding!.situations).toEqual(
    expect.arrayContaining(['a wrong password', 'an unknown email']),
  );
  const others = report.findings.filter((each) => each !== finding).flatMap(({ ids }) => ids);
  expect(finding!.ids.filter((id) => others.includes(id))).toEqual([]);
});

const resultOf = (id: string, problem?: Partial<Problem>): CheckResult => ({
  check: checks.find((each) => each.id === id)!,
  status: problem ? 'failed' : 'passed',
  problems: problem ? [{ description: `${id}.`, exchanges: [], ...problem }] : [],
  exchanges: [],
  durationMs: 0,
});

/** Returns a problem of a registration to which the backend responds with 500. */
const failedRegistration = (): Partial<Problem> => {
  const request = { method: 'POST', path: '/api/v1/users/register', headers: {} };
  const response = { status: 500, headers: [], bytes: Buffer.of(), text: '' };
  return { exchanges: [{ request, response, isAppRequest: true } as unknown as Exchange] };
};
const [password, race] = [failedRegistration(), failedRegistration()];
const cause = { words: 'kinds of requests fail', subject: 'a request' };

test.each<[title: string, problems: Record<string, Partial<Problem>>, findings: string]>([
  [
    'causes come before consequences, a lasting one first, and a MUST before a SHOULD',
    {
      'PROJECT-8': {},
      'PROJECT-4': {},
      'COOKIE-4': {},
      'XSRF-3': {},
      'SIGNIN-3': { lasting: [] },
      'SIGNIN-6': {},
      'LEAK-1': {},
    },
    'SIGNIN-3 | XSRF-3 | LEAK-1 | COOKIE-4 | SIGNIN-6 < XSRF-3 | PROJECT-4 < XSRF-3 | PROJECT-8 < XSRF-3',
  ],
  [
    'a finding is a consequence only if another one explains each of its checks',
    // PROJECT-4 comes before PROJECT-8 alone.
    { 'PROJECT-4': {}, 'PROJECT-8': { cause }, 'CORS-1': { cause } },
    'CORS-1, PROJECT-8 | PROJECT-4',
  ],
  [
    'two special requests that fail are two findings, and ERR-20 is part of the first',
    { 'ACCOUNT-4': password, 'ACCOUNT-12': race, 'ERR-20': password },
    'ACCOUNT-4, ERR-20 | ACCOUNT-12',
  ],
])('%s', (_title, problems, expected) => {
  const results = Object.entries(problems).map(([id, problem]) => resultOf(id, problem));
  const namesOf = (list: { id: string }[]) => list.map(({ id }) => id).join(', ');
  const findings = listFindings(results).map(({ checks: own, causes }) =>
    [own, causes]
      .filter(({ length }) => length > 0)
      .map(namesOf)
      .join(' < '),
  );
  expect(findings.join(' | ')).toBe(expected);
});

test('a check of which only some problems have a common cause keeps a finding for the others', () => {
  const mixed = resultOf('TEXT-1', { cause });
  mixed.problems.push({ description: 'Another one.', exchanges: [] });
  const findings = listFindings([mixed, resultOf('TEXT-2', { cause })]);
  expect(findings.map(({ problems }) => problems.length)).toEqual([2, 1]);
});

test('a blocked check names the check that is not met and tells why', () => {
  const { exchanges } = result.context.http;
  const [refused, other] = ['"password":"wrong', '/no-such-thing'].map((part) =>
    exchanges.find(({ request: { path, body } }) => `${path} ${String(body)}`.includes(part)),
  ) as [Exchange, Exchange];
  const blockersOf = (by: Partial<Reason>, failed: string, problem = {}) => {
    const reason = { words: 'it failed', ...by };
    const blocked: CheckResult = { ...resultOf('PROJECT-13'), status: 'blocked', reason };
    const blockers = listBlockers(blocked, [blocked, resultOf(failed, problem)]);
    return blockers.map(({ id }) => id);
  };
  expect(blockersOf({}, 'ACCOUNT-10')).toEqual([]);
  expect(blockersOf({ checks: ['ACCOUNT-10'] }, 'ACCOUNT-10')).toEqual(['ACCOUNT-10']);
  expect(blockersOf({ exchange: refused }, 'ACCOUNT-10', { exchanges: [refused] })).toHaveLength(1);
  expect(blockersOf({ exchange: refused }, 'ACCOUNT-10', { exchanges: [other] })).toEqual([]);
  // A cause of the check.
  expect(blockersOf({}, 'REACH-1')).toEqual(['REACH-1']);
  expect(blockersOf({ limit: 'time' }, 'REACH-1')).toEqual([]);
});

test.each([
  [303, 'GET'],
  [307, 'POST'],
])('a POST is redirected with %i to a %s, as in a browser', async (status, method) => {
  const redirect = { status, headers: { location: '/elsewhere' }, body: '' };
  const fault = change.responsesTo('createProject', 201, () => redirect);
  const { http } = (await runWith([fault], ['PROJECT-1'])).context;
  const redirected = http.exchanges.find(({ response }) => response?.status === status);
  expect(redirected?.next?.request).toMatchObject({ method, path: '/elsewhere' });
});

test('the report says how many requests were sent again on another connection', async () => {
  let count = 0;
  const dropped = change.requests(() => ++count % 4 === 0 && closedConnection);
  const { notes } = createReport(await runWith([dropped], ['PROJECT-17']));
  const number = Math.floor(count / 4);
  expect(notes).toContain(`${number} requests sent again, because a kept connection was closed.`);
});

test('the report says which 503s passed after a wait', async () => {
  const { body, status } = change.error(503);
  const isFirst = (method: string) => method === 'POST' && ++count % 2 === 1;
  let count = 0;
  const limited = change.requests(
    ({ method }) => isFirst(method) && { status, body, headers: { 'retry-after': '1' } },
  );
  const { notes } = createReport(await runWith([limited], ['ACCOUNT-1']));
  expect(notes).toContain(
    '1 response with 503 and Retry-After to POST /api/v1/users/register: users see an error.',
  );
});

test.each<[string, BackendResponse, Record<string, string>]>([
  [
    'what fails across a stop is not judged',
    restartAfter(change.error(401)),
    { 'SIGNIN-10': 'blocked', 'SIGNIN-19': 'blocked', 'REACH-5': 'failed' },
  ],
  ['what goes on without a response is not judged', change.error(429), { 'ERR-24': 'blocked' }],
  [
    'what a response before a stop shows is judged',
    restartAfter(change.error(401, 'WRONG_PASSWORD')),
    { 'ERR-22': 'failed' },
  ],
])('%s', async (_name, response, expected) => {
  const fault: Change = ({ sessions }) =>
    change.responsesTo('login', 401, () => {
      sessions.clear();
      return response;
    });
  const { results } = await runWith([fault], Object.keys(expected));
  const statuses = results.map(({ check, status }) => [check.id, status]);
  expect(Object.fromEntries(statuses)).toEqual(expected);
});

test('a failure is reported, also if the backend throttles when it is sent again', async () => {
  let count = 0;
  const wait = withHeaders(change.error(429), { 'retry-after': '36000' });
  const fault = change.requestsTo('login', () => (++count === 1 ? change.error(500) : wait));
  const { results } = await runWith([fault], ['ERR-20']);
  expect(results.map(({ status }) => status)).toEqual(['failed']);
});

test.each([
  ['in a body', JSON.stringify({ note: 'Kit "1" 2!' })],
  ['in a path', `/${encodeURIComponent('Kit "1" 2!')}`],
  ['in a query', `?${String(new URLSearchParams({ note: 'Kit "1" 2!' }))}`],
  ['at the end of an excerpt', '{"note":"Kit \\"1\\"…'],
])('a secret is masked %s', (_place, text) => {
  const secrets = createSecrets();
  secrets.add('Kit "1" 2!');
  expect(secrets.mask(text)).toMatch(/^\W*(note\W*)?\*{3}\W*$/);
});

test('the address of the backend is no other origin', async () => {
  const clock = new TestClock();
  const { origin, stop } = await startBackend(clock, exemplary);
  const { results } = await run({ origin, clock, appOrigin: origin, only: ['CORS-1'] }).finally(
    stop,
  );
  expect(results.map(({ status }) => status)).toEqual(['skipped']);
});

test('a secret is masked once it is added, and the longer one of two whole', () => {
  const secrets = createSecrets();
  for (const secret of ['kit-secret', 'kit-secret-2']) {
    secrets.add(secret);
    expect(secrets.mask(secret)).toBe('***');
  }
});

test('a row with another id and another text is not the project that a list lacks', () => {
  const [missing, other] = [1, 2].map((id) => ({ id, ...eachText((name) => `${name} ${id}`) }));
  const name = textNames[0]!;
  expect(findByIdOrText([{ ...other!, [name]: missing![name] }], missing!)).toBeUndefined();
});

test('a page names the server that wrote it', () => {
  const text = '<html><h1>413 Request Entity Too Large</h1></html>';
  const headers = Object.entries({ 'content-type': 'text/html', server: 'nginx' });
  const response = { status: 413, headers, bytes: Buffer.from(text), text };
  const exchange = { ...result.context.http.exchanges[0]!, response };
  expect(describeResponse(exchange)).toBe(`413 (text/html, from nginx) ${text}`);
});

test('a report says when a failed request was sent', () => {
  const [first] = result.context.http.exchanges;
  const receivedAt = Date.parse('2100-01-01T00:00:03Z');
  const exchange = { ...first!, response: undefined, receivedAt, durationMs: 2500 };
  const { findings } = createReport({
    ...result,
    results: [resultOf('REACH-5', { exchanges: [exchange] })],
  });
  const { response } = findings[0]!.problems[0]!.calls.at(-1)!;
  expect(response).toBe('no response, sent at 00:00:00.500 UTC, ended 2.50 s later');
});

test('of many names, the others are counted', () => {
  expect(listSome('a b c d e f g'.split(' '))).toBe('a, b, c, d, e and 2 more');
});

test('an excerpt ends before a character that users see as one', () => {
  const family = '👩‍👩‍👧‍👦';
  expect(truncate(`ab${family}cd`, 3)).toBe(`ab${family}…`);
  expect(truncate(`ab${family}`, 2)).toBe('ab…');
});

test('no report contains a password, a cookie or a token', () => {
  const requests = result.context.http.exchanges.map(({ request }) => request);
  const passwords = requests.flatMap(
    ({ body }) => /"password":"([^"'\\]{8,})"/.exec(String(body ?? ''))?.[1] ?? [],
  );
  const cookies = requests.flatMap(({ headers }) =>
    [...(headers['cookie'] ?? '').matchAll(/=([^;]{12,})/g)].map((match) => match[1]!),
  );
  expect(passwords.length).toBeGreaterThan(10);
  expect(cookies.length).toBeGreaterThan(10);
  const secrets = new Set([...passwords, ...cookies]);
  const userMessages = result.userMessages.map((row) => ({ ...row, message: passwords[0]! }));
  const reports = Object.values(reportsOf(createReport({ ...result, userMessages }))).join('\n');
  expect([...secrets].filter((secret) => reports.includes(secret))).toEqual([]);
});

test('every cookie of a response is masked, and several in one line', async () => {
  const cookies = ['session=first-0123456789', 'XSRF-TOKEN=second-0123456789, c=third-0123456789'];
  const repeated = change.responsesTo('login', 200, (response) =>
    change.withSetCookies(change.withJson(response, { sent: cookies }), cookies),
  );
  const texts = reportsOf(createReport(await runWith([repeated], ['ACCOUNT-2'])));
  expect(texts.json).toContain('session=***');
  for (const text of Object.values(texts)) expect(text).not.toMatch(/(first|second|third)-0123/);
});

const blockedBy = (id: string, reason: Reason): CheckResult => ({
  ...resultOf(id),
  status: 'blocked',
  reason,
});
const sixProblems = { ...resultOf('TEXT-16', {}), problems: [] as Problem[] };
for (const number of [1, 2, 3, 4, 5, 6])
  sixProblems.problems.push({ description: `Problem ${number}.`, exchanges: [] });

const throttled: Reason = { words: 'The backend throttles', limit: 'throttling' };

/** What needs a part of a report, and the part in each report. In JUnit, it is in the test case. */
const parts: [
  name: string,
  results: CheckResult[],
  verdict: RegExp,
  expected: { terminal: RegExp; page: RegExp; json: object; junit: RegExp },
][] = [
  [
    'checks that are not judged',
    [
      ...['SIGNIN-13', 'PROJECT-13'].map((id) =>
        blockedBy(id, { words: 'no <b> list', checks: ['REACH-5'] }),
      ),
      blockedBy('SIGNIN-5', outOfTime),
    ],
    /^The result is incomplete: 1 MUST check could not run\.$/,
    {
      terminal: /^Not judged: SIGNIN-13, PROJECT-13\n {2}because no <b> list\n/m,
      page: /<h3>Not judged: SIGNIN-13, PROJECT-13<\/h3><p>because no &lt;b&gt; list<\/p>/,
      json: { totals: { must: { blocked: 0, notJudged: 1 }, should: { passed: 0, notJudged: 2 } } },
      junit: /SIGNIN-13 [^]*<failure message="no &[^]*PROJECT-13 [^]*<skipped message="no &lt;b/,
    },
  ],
  [
    'a MUST that a finding blocks',
    [
      resultOf('PROJECT-4', {}),
      blockedBy('PROJECT-8', { words: 'a', checks: ['REACH-5', 'PROJECT-4'] }),
    ],
    /^The app does not work .*: 1 MUST check is not met\. Begin with PROJECT-4\.$/,
    {
      terminal: /^Blocked, because a precondition failed \(1\)\n {2}PROJECT-8: PROJECT-4: a$/m,
      page: /<h2>Blocked, [^]*<dt>PROJECT-8<\/dt><dd>PROJECT-4: a<\/dd>/,
      json: {
        notJudged: [],
        results: [{ status: 'failed' }, { status: 'blocked', blockedBy: ['PROJECT-4'] }],
      },
      junit: /PROJECT-8 [^]*<failure message="PROJECT-4: a" type="MUST">/,
    },
  ],
  [
    'checks that a throttle keeps from running',
    ['SIGNIN-13', 'SIGNIN-8', 'SIGNIN-5'].map((id) => blockedBy(id, throttled)),
    /^The result is incomplete: 2 MUST checks could not run\.$/,
    {
      terminal: /^Not judged: SIGNIN-13, SIGNIN-8, SIGNIN-5\n {2}because the backend throttles$/m,
      page: /<h3>Not judged: SIGNIN-13, SIGNIN-8, SIGNIN-5<\/h3><p>because the backend throttles</,
      json: { notJudged: [{ limit: 'throttling', ids: ['SIGNIN-13', 'SIGNIN-8', 'SIGNIN-5'] }] },
      junit: /SIGNIN-8 [^]*<failure message="The backend [^]*SIGNIN-5 [^]*<skipped message="The /,
    },
  ],
  [
    'more problems than are shown',
    [sixProblems],
    /^The selected MUST checks are met\. 1 SHOULD check is not met\.$/,
    {
      terminal: /Problem 1\.[^]*similar .*Problem 2\. .*Problem 4\. … and 2 similar problems\.\n/,
      page: /Problem 1\.[^]*Problem 4\.[^]*… and 2 similar problems\./,
      json: { findings: [{ problemCount: 6 }] },
      junit: /<system-out>[^]*Problem 1\.[^]*Problem 6\.[^]*<\/system-out>/,
    },
  ],
  [
    'checks that do not apply',
    ['PROJECT-15', 'PROJECT-22'].map((id): CheckResult => {
      const note = sharedNote;
      return { ...resultOf(id), status: 'skipped', note };
    }),
    /^None of the selected/,
    {
      terminal:
        /^Please check\n {2}All users see the same [^]*^Not applicable \(2\)\n {2}PROJECT-15, PROJECT-22: All users [^]*could be judged\. All users see the same/m,
      page: /All users see the same projects\. [^<]*<\/span><\/td><td class="muted">not applicable</,
      json: { results: [{ status: 'skipped' }, { status: 'skipped' }] },
      junit: /PROJECT-22 [^]*<skipped message="All users see the same projects\. /,
    },
  ],
];

const reportsOf = (created: Report) => ({
  terminal: renderTerminal(created, { verbose: true }),
  page: renderHtml(created),
  json: JSON.stringify(created),
  junit: renderJunit(created),
});

test.each(parts)('each report shows %s', (_name, results, verdict, expected) => {
  const created = createReport({ ...result, only: ['TEXT'], results });
  const { json, ...texts } = reportsOf(created);
  expect(created.verdict).toMatch(verdict);
  expect(JSON.parse(json)).toMatchObject(expected.json);
  for (const place of ['terminal', 'page', 'junit'] as const)
    expect(texts[place]).toMatch(expected[place]);
  const isFailure = ({ check, status }: CheckResult) =>
    check.level === 'MUST' && /failed|blocked/.test(status);
  const failures = results.filter(isFailure).length;
  expect(viewOf(created).isOk, 'is the exit code 0').toBe(failures === 0);
  expect(texts.junit.match(/<failure /g) ?? []).toHaveLength(failures);
  expect(texts.junit).toContain(`tests="${results.length}" failures="${failures}"`);
  expect(texts.junit.match(/<testcase /g)).toHaveLength(results.length);
});

test('the JUnit report is XML when a backend sends control characters and halves of surrogates', () => {
  const [finding] = report.findings;
  const summary = 'a\u0000b\u001Bc\uD83Dd\uFFFEe & <f> "g"';
  const xml = renderJunit({ ...report, findings: [{ ...finding!, summary }] });
  // Anything but the characters of XML 1.0, or an ampersand that starts no reference.
  expect(xml).not.toMatch(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u);
  expect(xml).not.toMatch(/&(?!(?:amp|lt|gt|quot|apos|#\d+);)/);
  expect(xml).toContain('message="a\uFFFDb\uFFFDc\uFFFDd\uFFFDe &amp; &lt;f&gt; &quot;g&quot;"');
});

test('the terminal report escapes control characters and line breaks of the backend', () => {
  const [failed] = result.results.filter(({ status }) => status === 'failed');
  const problems = failed!.problems.map((problem) => ({
    ...problem,
    userSees: 'a new row: "\u001B[31ma\u0000b\u0007\nc"',
  }));
  const text = renderTerminal(createReport({ ...result, results: [{ ...failed!, problems }] }));
  expect(text).toContain('users see  a new row: "a\\u0000b\\u0007\\nc"');
});

test('the HTML report escapes markup of the backend, and says early what is required', () => {
  const [finding] = report.findings;
  const findings = [...report.findings, { ...finding!, causes: finding!.ids }];
  const marked: Report = JSON.parse(
    JSON.stringify({ ...report, findings }),
    (_key, each: unknown) =>
      // An id, a level and a status are the kit's own.
      typeof each !== 'string' || /^([A-Z]+(-\d+)?|[a-z]+)$/.test(each) ? each : `${each}<script>`,
  );
  expect(/.{0,99}<script|<b>Bold/.exec(renderHtml(marked))?.[0]).toBeUndefined();
  const [, labels] = /<article>.*?<dl>(.*?)users see/s.exec(renderHtml(report))!;
  expect(labels).toContain('<dt>required</dt>');
});

test('the page folds requests, and says how many requests it leaves out', () => {
  const [finding] = report.findings;
  const [problem] = finding!.problems;
  const calls = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => ({
    ...problem!.calls.at(-1)!,
    request: `request ${number}`,
  }));
  const page = renderHtml({
    ...report,
    findings: [{ ...finding!, problems: [{ ...problem!, calls }] }],
  });
  expect(page).toContain('<details><summary>only the last 6 of 8</summary><pre>3. request 3\n');
  expect(renderHtml(report)).toMatch(
    /<dt>requests<\/dt><dd><details><summary>\d<\/summary><pre>1\. /,
  );
});

test('each check has a unique id and refers to existing statements', () => {
  const known = new Set(
    [...specification.matchAll(/^- \*\*([A-Z]+-\d+)\*\*/gm)].map((match) => match[1]),
  );
  const references = checks.flatMap(({ id, statements }) =>
    statements.map((statement) => ({ id, statement })),
  );
  expect(references.filter(({ statement }) => !known.has(statement))).toEqual([]);
  expect(checks.filter(({ statements }) => statements.length === 0)).toEqual([]);
  expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
});
