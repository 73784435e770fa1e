/** Reports that need whole runs, some of them more than one. */
import { expect, onTestFinished, test } from 'vitest';
import { parseJson } from '../http/response.ts';
import { createReport } from '../report/create-report.ts';
import { run } from '../checks/run.ts';
import { exemplary, startBackend, withHeaders, type Change } from './backends/backend.ts';
import * as change from './backends/changes.ts';
import { signInFaults } from './backends/faults/auth.ts';
import { faults } from './backends/faults/all.ts';
import { requestsOf, runKit } from './backends/run-kit.ts';
import { closedConnection, neverRespond, type BackendRequest } from './backends/stub-server.ts';
import { TestClock } from './backends/test-clock.ts';

/** Runs the kit against a backend with these changes. */
const runWith = (changes: Change[], only: string[] = []) =>
  runKit((clock) => startBackend(clock, exemplary, ...changes), { only });

test.each([
  ['refusals have the status 200', change.refusals((response) => ({ ...response, status: 200 }))],
  ['two processes', signInFaults['SIGNIN-17: two processes with a database each take turns']!],
])('a cause that many checks meet is one finding: %s', async (_name, fault) => {
  const { findings } = createReport(await runWith([fault]));
  expect(findings.length).toBeGreaterThan(0);
  expect(findings.slice(1).filter(({ causes }) => causes.length === 0)).toEqual([]);
});

test('a finding has the level of its first check, also if a MUST is not met with it', async () => {
  const fault = faults.find(({ name }) => name.startsWith('ERR-5: the registration'))!;
  const [first] = createReport(await runWith([fault.change], ['ERR-5', 'ERR-20'])).findings;
  expect(first).toMatchObject({ ids: ['ERR-5', 'ERR-20'], level: 'SHOULD' });
});

test.each([
  ['REACH-5: no request gets', /^\d kinds of requests fail since POST \S+register got 409\.$/],
  [
    'ERR-20: each request fails after',
    /^\d kinds of requests get 500 since POST \S+register got 409\.$/,
  ],
  ['ERR-20: one of five workers', /^\d kinds of requests get 500 now and then\.$/],
  ['ERR-20: creating fails', /^POST \S+projects gets 500 to the end of the run\.$/],
  [
    'ERR-20: each project',
    /^POST \S+projects gets 500 since POST \S+projects got 500, with the title "0"\.$/,
  ],
  ['TEXT-3: texts are cut at 255 bytes', /^\d texts are cut at 255 bytes\.$/],
  ['PROJECT-1: a compressed', /, and works without compression: the body is empty\.$/],
  ['ACCOUNT-4: passwords are norm', / with "e" and U\+0301, an accent .* sign in: status 401\.$/],
  ['ACCOUNT-1: a registration', / fails, and works on a new connection: status 400\.$/],
  ['PROJECT-2: a project with an I', / and works without an Idempotency-Key: status 400\.$/],
  ['SIGNIN-6: the session cookie is found only', / works without the cookie XSRF-TOKEN\.$/],
  [
    'XSRF-3: a list changes',
    /^After a list, the app's XSRF token is refused, and accepted before it\.$/,
  ],
  ['ACCOUNT-1: the origin', / fails, and works without an Origin: status 403\.$/],
  ['REACH-5: the body of a long', / gets a 200 response that ended after 1000 of \d+ bytes\.$/],
  [
    'PROJECT-2: a new project is shorter',
    / fails: a 201 response that ended after \d+ of \d+ bytes\.$/,
  ],
  [
    'REACH-2: a long list',
    /^GET \S+projects has a body that is not JSON but the beginning of JSON\.$/,
  ],
  ['PROJECT-30: each fifth', /^\d+ projects have the text of another request\.$/],
  ['PROJECT-9: of more than', / lacks \d+ of 257, some of each six at once\.$/],
  ['PROJECT-30: each row of a list is', /^A list has one project \d+ times\.$/],
  ['PROJECT-30: each row of a list has', /^\d+ projects have the text of another request\.$/],
  ['XSRF-3: the XSRF token is expected in', / refused, and it is accepted in X-CSRF-Token\.$/],
  [
    'XSRF-5: without an Origin, the token',
    /^Without an Origin, the .* accepted in X-CSRF-Token\.$/,
  ],
  ['XSRF-3: the XSRF token is expected after', / masked with XOR is accepted\.$/],
  ['XSRF-3: each of two', / refused on 2 of 4 new connections\.$/],
  ['SIGNIN-17: two', /^\d+ accounts sign in now and then\.$/],
  ['TEXT-3: text is trimmed', /^\d texts are trimmed\.$/],
  ['TEXT-3: directional', / is without U\+200F and U\+200E\.$/],
])('the report names the fault and not the check that met it: %s', async (name, line) => {
  const { change: fault, only } = faults.find((each) => each.name.startsWith(name))!;
  const ran = await runWith([fault], only);
  const [first, ...others] = createReport(ran).findings;
  expect(first!.summary ?? first!.problems[0]!.description).toMatch(line);
  const heads = others.filter(({ level, causes }) => level === 'MUST' && causes.length === 0);
  expect(heads).toEqual([]);
});

test('a fault that its own request shows is no consequence of another one', async () => {
  const ids = [
    'PROJECT-3: an empty',
    'SIGNIN-17: a sign-in before',
    'PROJECT-26: an',
    'TEXT-8: text is',
  ];
  const pair = ids.map((id) => faults.find(({ name }) => name.startsWith(id))!.change);
  const { findings } = createReport(await runWith(pair));
  expect(findings.flatMap(({ id, causes }) => (causes.length === 0 ? id : []))).toEqual(
    expect.arrayContaining(['PROJECT-3', 'SIGNIN-17', 'PROJECT-26', 'TEXT-8']),
  );
});

const isObject = (body: string) => typeof parseJson(body) === 'object';
const hasOddText = (json: object) => Object.values(json).some((text) => typeof text !== 'string');

test.each<[string, (request: BackendRequest, seenKeys: Set<unknown>) => boolean]>([
  ['a body that is not JSON', ({ body }) => body !== '' && !isObject(body)],
  ['a value that is no text', (request) => hasOddText(change.jsonOf(request))],
  [
    'a repeated Idempotency-Key',
    ({ headers: { 'idempotency-key': key } }, seenKeys) =>
      key !== undefined && (seenKeys.has(key) || !seenKeys.add(key)),
  ],
])(
  'every MUST check is met if a backend never responds to what only the kit sends: %s',
  async (_case, isUnusual) => {
    const hanging: Change = (_backend, clock) => {
      const keys = new Set();
      return change.requests((request) => isUnusual(request, keys) && neverRespond(clock));
    };
    const { findings, notJudged, totals } = createReport(await runWith([hanging]));
    expect(totals.must).toMatchObject({ failed: 0, blocked: 0, notJudged: 0 });
    const lines = findings.map((each) => [
      each.level,
      each.summary ?? each.problems[0]!.description,
    ]);
    expect(lines).toEqual([['SHOULD', expect.stringMatching(/ no response\b/)]]);
    expect(notJudged).toEqual([]);
  },
);

test.each([
  ['', { connection: 'close' }],
  [', or just before it', { connection: 'keep-alive' }],
])('a stop names the request that the server did not survive%s', async (end, headers) => {
  let hasEnded = false;
  const { origin, stop } = await startBackend(
    new TestClock(),
    exemplary,
    change.responses((response) => withHeaders(response, headers)),
    change.requests(({ body }) => {
      if (hasEnded || (body.includes('🚀') && headers.connection === 'keep-alive')) void stop();
      hasEnded ||= body.includes('🚀');
      return hasEnded && closedConnection;
    }),
  );
  const { results } = await run({ origin, clock: new TestClock() });
  const [problem] = results.find(({ check }) => check.id === 'REACH-5')!.problems;
  expect(problem!.description).toBe(`The backend stops at POST /api/v1/projects${end}.`);
});

test('the statement for what a run leaves covers every account', async () => {
  const emails: string[] = [];
  const lenient = change.requestsTo('registerUser', (request) => {
    const { email = 'ada@kit.example.org', password } = change.jsonOf(request);
    emails.push(String(email).toLowerCase());
    return change.withJson(request, { email: String(email), password: String(password) });
  });
  const { leftovers } = createReport(await runWith([lenient]));
  const [, part, other] = /like '%(.*?)%' or email = '(\d+)'/.exec(leftovers)!;
  expect(emails).toContain(other);
  expect(emails.filter((email) => !email.includes(part!) && email !== other)).toEqual([]);
});

test('each run sends the same requests to a server with data of other runs', async () => {
  const { origin, stop } = await startBackend(new TestClock(), exemplary);
  onTestFinished(stop);
  const runAgain = async () => {
    const ran = await run({ origin, clock: new TestClock() });
    return { requests: requestsOf(ran), statuses: ran.results.map(({ status }) => status) };
  };
  expect(await runAgain()).toEqual(await runAgain());
});
