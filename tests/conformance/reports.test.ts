import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { checks } from '../../conformance/checks/all.ts';
import { createReport } from '../../conformance/report/create-report.ts';
import { renderHtml } from '../../conformance/report/html.ts';
import { renderJunit } from '../../conformance/report/junit.ts';
import { renderTerminal } from '../../conformance/report/terminal.ts';
import type { RunResult } from '../../conformance/results.ts';
import { run } from '../../conformance/run.ts';
import { faults } from './selftest/faults/all.ts';
import { startFaultProxy } from './selftest/fault-proxy.ts';
import { startReference } from './selftest/reference.ts';

const specification = readFileSync(new URL('../../docs/specification.md', import.meta.url), 'utf8');
const readme = readFileSync(new URL('../../conformance/README.md', import.meta.url), 'utf8');

let done: RunResult;
beforeAll(async () => {
  const reference = await startReference();
  const spoilt = [
    'refusals have "detail" in place of "message"',
    'the answer to registering repeats the password',
  ];
  const layers = faults.filter(({ name }) => spoilt.includes(name)).map(({ layer }) => layer());
  const first = await startFaultProxy(reference.address, layers[0]!, '10.3.0.1');
  const second = await startFaultProxy(first.address, layers[1]!, '10.3.0.1');
  done = await run({ origin: second.address, appOrigin: 'https://app.example.org' });
  await second.stop();
  await first.stop();
  await reference.stop();
});

test('failures come first, with what users see, the sequence and a command', () => {
  const report = renderTerminal(createReport(done));
  expect(report.trimStart().startsWith('MUST failed')).toBe(true);
  expect(report).toContain('red banner: "Internal Server Error"');
  expect(report).toMatch(/curl -i .*auth\/login'/);
  expect(report.indexOf('What your users will read')).toBeLessThan(report.indexOf('Totals'));
  expect(report).toMatch(/Left on the server: \d+ users and \d+ projects/);
});

test('a command of the report can be pasted, with the password left to the shell', () => {
  const command = createReport(done)
    .failures.flatMap(({ problems }) => problems.flatMap(({ calls }) => calls))
    .map(({ curl }) => curl)
    .find((curl) => curl.includes('auth/login') && curl.includes('$PASSWORD'))!;
  const pasted = execFileSync('sh', [
    '-c',
    `PASSWORD=typed; curl() { while [ "$1" != --data-binary ]; do shift; done; echo "$2"; }; ${command}`,
  ]);
  expect(JSON.parse(pasted.toString())).toMatchObject({ password: 'typed' });
});

test('no password, cookie or token is in any report', () => {
  const report = createReport(done);
  const all = [
    renderTerminal(report, { verbose: true }),
    renderHtml(report),
    renderJunit(report),
    JSON.stringify(report),
  ].join('\n');
  const bodies = done.context.http.exchanges.map(({ request }) => String(request.body ?? ''));
  const passwords = bodies.flatMap((body) => /"password":"([^"'\\]{8,})"/.exec(body)?.[1] ?? []);
  const cookies = done.context.http.exchanges.flatMap(({ request }) =>
    [...(request.headers['cookie'] ?? '').matchAll(/=([^;]{12,})/g)].map((match) => match[1]!),
  );
  expect(passwords.length).toBeGreaterThan(10);
  expect(cookies.length).toBeGreaterThan(10);
  expect([...new Set([...passwords, ...cookies])].filter((secret) => all.includes(secret))).toEqual(
    [],
  );
});

test('JUnit has a test for each check, and fails those alone that a MUST lacks', () => {
  const report = createReport(done);
  const xml = renderJunit(report);
  expect(xml.match(/<testcase /g)).toHaveLength(checks.length);
  const { failed, blocked } = report.totals.must;
  expect(xml.match(/<failure /g)).toHaveLength(failed + blocked);
});

test('the page of the report shows text and no markup of the backend', () => {
  expect(renderHtml(createReport(done))).not.toMatch(/<script|<b>Bold/);
});

test('each check holds to statements that there are, and has an id of its own', () => {
  const known = new Set(
    [...specification.matchAll(/^- \*\*([A-Z]+-\d+)\*\*/gm)].map((match) => match[1]),
  );
  const strange = checks.flatMap(({ id, statements }) =>
    statements
      .filter((statement) => !known.has(statement))
      .map((statement) => `${id}: ${statement}`),
  );
  expect(strange).toEqual([]);
  expect(checks.filter(({ statements }) => statements.length === 0)).toEqual([]);
  expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
});

test('the README lists every check as it is', () => {
  const rows = checks.map(({ id, level, title }) => `| ${id} | ${level} | ${title} |`);
  expect(rows.filter((row) => !readme.includes(row))).toEqual([]);
  expect(readme.match(/^\| [A-Z]+-\d+ \|/gm)).toHaveLength(checks.length);
});

test('the same seed sends the same, to a server that kept what the first run left', async () => {
  const reference = await startReference();
  onTestFinished(reference.stop);
  const sent = async (seed: number, only: string[] = []) => {
    const { context, runId, results } = await run({ origin: reference.address, seed, only });
    const calls = context.http.exchanges.map(({ browserName, request: { method, path, body } }) =>
      `${browserName} ${method} ${path} ${String(body ?? '')}`.replaceAll(runId, '(mark)'),
    );
    // What is sent at once may arrive in any order.
    return { calls: calls.toSorted(), statuses: results.map(({ status }) => status) };
  };
  const first = await sent(7);
  expect(await sent(7)).toEqual(first);
  const small = async (seed: number) => (await sent(seed, ['PROJECT-1'])).calls;
  expect(await small(8)).not.toEqual(await small(7));
});

test('CORS is looked at where the app lives elsewhere', () => {
  const failed = done.results
    .filter(({ status }) => status === 'failed')
    .map(({ check }) => check.id);
  expect(failed).toEqual(expect.arrayContaining(['CORS-1', 'CORS-2']));
});
