import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { checks } from '../../conformance/checks/all.ts';
import { createReport, type Report } from '../../conformance/report/create-report.ts';
import { renderHtml } from '../../conformance/report/html.ts';
import { renderJunit } from '../../conformance/report/junit.ts';
import { renderTerminal } from '../../conformance/report/terminal.ts';
import type { RunResult } from '../../conformance/results.ts';
import { run } from '../../conformance/run.ts';
import { startServer } from '../server/support.ts';
import { startReferenceServer } from '../support/reference-server.ts';
import { faults } from './selftest/faults/all.ts';
import { startFaultProxy } from './selftest/fault-proxy.ts';
import { TestClock } from './selftest/test-clock.ts';

const specification = readFileSync(new URL('../../docs/specification.md', import.meta.url), 'utf8');

let result: RunResult;
let report: Report;
beforeAll(async () => {
  const clock = new TestClock();
  const servers = [await startReferenceServer({ trustedProxies: ['127.0.0.1'] })];
  for (const faultName of [
    'error messages are in "detail"',
    'the registerUser response repeats the password',
  ]) {
    const { createMiddleware } = faults.find(({ name }) => name === faultName)!;
    servers.unshift(await startFaultProxy(servers[0]!.origin, createMiddleware(clock), '10.3.0.1'));
  }
  result = await run({ origin: servers[0]!.origin, appOrigin: 'https://app.example.org', clock });
  report = createReport(result);
  for (const { stop } of servers) await stop();
});

test('the terminal report starts with failures: what users see, the requests and a command', () => {
  const text = renderTerminal(report);
  expect(text.trimStart().startsWith('MUST not met: ')).toBe(true);
  expect(text).toContain('red banner: "Internal Server Error"');
  expect(text).toMatch(/curl -si .*auth\/login'/);
  expect(text.indexOf('What your users will read')).toBeLessThan(text.indexOf('Totals'));
  expect(text).toMatch(/\d+ users and \d+ projects stay on the server/);
});

test('no report contains a password, a cookie or a token', () => {
  const reports = [
    renderTerminal(report, { verbose: true }),
    renderHtml(report),
    renderJunit(report),
    JSON.stringify(report),
  ].join('\n');
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
  expect([...secrets].filter((secret) => reports.includes(secret))).toEqual([]);
});

test('the JUnit report has a test case for each check and a failure for each unmet MUST', () => {
  const xml = renderJunit(report);
  expect(xml.match(/<testcase /g)).toHaveLength(checks.length);
  const { failed, blocked } = report.totals.must;
  expect(xml.match(/<failure /g)).toHaveLength(failed + blocked);
});

test('the HTML report escapes markup of the backend', () => {
  expect(renderHtml(report)).not.toMatch(/<script|<b>Bold/);
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

test('a run with the same seed sends the same requests to a server with data of other runs', async () => {
  const origin = await startServer();
  const runWithSeed = async (seed: number, only: string[] = []) => {
    const { context, runId, results } = await run({
      origin,
      seed,
      only,
      clock: new TestClock(),
    });
    const requests = context.http.exchanges.map(
      ({ browserName, request: { method, path, body } }) =>
        `${browserName} ${method} ${path} ${String(body ?? '')}`
          .replaceAll(runId, '(run id)')
          // The server chooses the ids in paths.
          .replaceAll(/\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '/(id)'),
    );
    // Concurrent requests may arrive in any order.
    return { requests: requests.toSorted(), statuses: results.map(({ status }) => status) };
  };
  expect(await runWithSeed(7)).toEqual(await runWithSeed(7));
  const { requests } = await runWithSeed(7, ['PROJECT-1']);
  expect((await runWithSeed(8, ['PROJECT-1'])).requests).not.toEqual(requests);
});

test('CORS checks run when the app has another origin', () => {
  const failedChecks = result.results.filter(({ status }) => status === 'failed');
  const ids = failedChecks.map(({ check }) => check.id);
  expect(ids).toEqual(expect.arrayContaining(['CORS-1', 'CORS-2']));
});
