// @module-tag curl
import { expect, onTestFinished, test } from 'vitest';
import { startProgram } from '../../tools/start-program.ts';
import { createReport } from '../report/create-report.ts';
import { run } from '../checks/run.ts';
import { exemplary, startBackend } from './backends/backend.ts';
import * as change from './backends/changes.ts';
import { cookieFaults } from './backends/faults/cookies.ts';
import { faults } from './backends/faults/all.ts';
import { TestClock } from './backends/test-clock.ts';
import { runCommand } from './run-command.ts';

type Intercept = Parameters<typeof change.respond>[0];

/** Runs one check with a fault, then the commands of its report, and returns what they print. */
async function reproduceFault(faultName: string, duringCommands?: Intercept) {
  const clock = new TestClock();
  const { id, change: fault } = faults.find(({ name }) => name === faultName)!;
  let intercept: Intercept | undefined;
  const intercepted = change.respond((request, next) =>
    intercept ? intercept(request, next) : next(request),
  );
  const { origin, stop } = await startBackend(clock, exemplary, fault, intercepted);
  onTestFinished(stop);
  const [finding] = createReport(await run({ origin, only: [id], clock })).findings;
  intercept = duringCommands;
  const commands = finding!.reproduce.join('\n').replaceAll(/\bcurl /g, 'curl --max-time 20 ');
  return (await startProgram(['sh', '-c', commands]).ended).output;
}

test.each([
  [
    'a refusal, with its time,',
    'ERR-1: error messages are in "detail"',
    / 401 [^]*{"detail":".*\n\d+\.\d+ s\n/,
  ],
  ['a long password', 'ACCOUNT-6: only 72 bytes of passwords are compared', / 201 [^]* 200 OK/],
  [
    'an XSRF token',
    'XSRF-3: the percent-encoded XSRF cookie is expected without decoding',
    / 403 /,
  ],
  ['a text with quotes', 'TEXT-1: text is HTML-escaped', /&lt;b&gt;Bold.*&quot;quoted/],
  [
    'many projects',
    'PROJECT-9: the list contains only the oldest 200 projects',
    /^HTTP[^]*HTTP[^]*(?<!Project.*)\[({"id":"\w+",[^}]*"Project number [^}]*},?){200}\]/,
  ],
  ['a text of 10 kB', 'TEXT-5: texts are truncated to 9,000 characters', /:"[^"]{9000}"/],
  ['bytes that are no text', 'ERR-30: no UTF-8 causes a 500', / 500 /],
  [
    'a cookie of another application',
    'COOKIE-8: a cookie of another application causes a 500',
    / 500 /,
  ],
  [
    'a changed cookie',
    'COOKIE-7: the last characters of a session cookie are ignored',
    / 200 OK[^]* 200 OK/,
  ],
  [
    'a cookie with the number of another session',
    'COOKIE-7: the session cookie is a sequential number',
    / 200 OK[^]* 200 OK[^]* 200 OK/,
  ],
  [
    'a reopened browser',
    'XSRF-7: the XSRF cookie ends with the browser, and only sign-in sets it',
    / 200 OK[^]* 200 OK[^]* 403 /,
  ],
  [
    'a session cookie of the past',
    'SIGNIN-11: a sign-in with an unknown session cookie is refused',
    / 200 OK[^]* 403 /,
  ],
])('the commands of a report reproduce %s', async (_case, faultName, expected) => {
  expect(await reproduceFault(faultName)).toMatch(expected);
});

test('the commands of a report send concurrent requests at once', async () => {
  const waiting: (() => void)[] = [];
  // The first sign-in ends only when the second one is sent.
  const holdFirst: Intercept = async (request, next) => {
    if (change.isOperation(request, 'login') && waiting.length === 0)
      await new Promise<void>((resolve) => waiting.push(resolve));
    else waiting.forEach((release) => release());
    return next(request);
  };
  const fault = 'SIGNIN-8: one of two concurrent sign-ins is refused';
  expect(await reproduceFault(fault, holdFirst)).toContain(' 409 ');
});

test('--try prints the commands that repeat a problem, as a shell script', async () => {
  const fault =
    cookieFaults['COOKIE-2: the session cookie has no Path attribute, and the empty list is null'];
  const { origin, stop } = await startBackend(new TestClock(), exemplary, fault!);
  onTestFinished(stop);
  const printed = await runCommand(origin, '--try', 'COOKIE-2');
  expect(printed.code).toBe(1);
  expect(printed.output).toMatch(
    /^# COOKIE-2 {2}The browser sends .*\n# The session cookie is not sent/,
  );
  const { output } = await startProgram(['sh', '-c', printed.output]).ended;
  expect(output).toMatch(/\nHTTP\/1\.1 200 OK\r\n[^]*set-cookie: session=\w+; Max-Age/i);
  const met = await runCommand(origin, '--try', 'ACCOUNT-2');
  expect(met).toMatchObject({ code: 0, output: expect.stringMatching(/^# There is nothing/) });
});
