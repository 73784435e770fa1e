import { spawn } from 'node:child_process';
import { text as textOf } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createReport } from '../../conformance/report/create-report.ts';
import { run } from '../../conformance/run.ts';
import { startReferenceServer } from '../support/reference-server.ts';
import { faults } from './selftest/faults/all.ts';
import { isOperation } from './selftest/fault-builders.ts';
import { startFaultProxy, type Middleware } from './selftest/fault-proxy.ts';
import { TestClock } from './selftest/test-clock.ts';

/** Runs one check with a fault, then the commands of its report, and returns what they print. */
async function reproduceFault(id: string, faultName: string, scripted?: Middleware) {
  const clock = new TestClock();
  const reference = await startReferenceServer({ trustedProxies: ['127.0.0.1'] });
  const fault = faults.find(({ name }) => name === faultName)!.createMiddleware(clock);
  let middleware = fault;
  const respond: Middleware = (request, next) => middleware(request, next);
  const proxy = await startFaultProxy(reference.origin, respond, '10.3.0.2');
  const [finding] = createReport(await run({ origin: proxy.origin, only: [id], clock })).findings;
  if (scripted)
    middleware = (request, next) => scripted(request, async (changed) => fault(changed, next));
  const commands = finding!.reproduce.join('\n').replaceAll(/\bcurl /g, 'curl --max-time 20 ');
  const shell = spawn('sh', ['-c', commands]);
  const output = await textOf(shell.stdout);
  await proxy.stop();
  await reference.stop();
  return output;
}

test.each([
  [
    'a refusal, with its time,',
    'ERR-1',
    'error messages are in "detail"',
    / 401 [^]*{"detail":".*\n\d+\.\d+ s\n/,
  ],
  ['a call of a signed-in user', 'PROJECT-1', 'the list is wrapped in an object', /{"projects":\[/],
  [
    'a long password',
    'ACCOUNT-6',
    'the server compares only 72 bytes of passwords',
    / 201 [^]* 200 OK/,
  ],
  [
    'an XSRF token',
    'XSRF-3',
    'the server expects the percent-encoded XSRF cookie without decoding it',
    / 403 /,
  ],
  ['a text with emoji', 'TEXT-2', 'an emoji in a project causes a 500 with an HTML page', / 500 /],
  ['a text with quotes', 'TEXT-1', 'the server HTML-escapes text', /&lt;b&gt;Bold.*&quot;quoted/],
  [
    'a text with lines',
    'TEXT-4',
    'the server replaces line breaks with spaces',
    /First line Second line/,
  ],
  [
    'a text of 10 kB',
    'TEXT-5',
    'the server truncates descriptions to 5,000 characters',
    /"description":"[^"]{5000}"/,
  ],
])('the commands of a report reproduce %s', async (_case, id, faultName, expected) => {
  expect(await reproduceFault(id, faultName)).toMatch(expected);
});

test('the commands of a report send concurrent requests at once', async () => {
  const waiting: (() => void)[] = [];
  // The first sign-in ends only when the second one is sent.
  const holdFirst: Middleware = async (request, next) => {
    if (isOperation(request, 'login') && waiting.length === 0)
      await new Promise<void>((resolve) => waiting.push(resolve));
    else waiting.forEach((release) => release());
    return next(request);
  };
  const fault = 'the server rejects one of two concurrent sign-ins';
  expect(await reproduceFault('SIGNIN-8', fault, holdFirst)).toContain(' 409 ');
});
