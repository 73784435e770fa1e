import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { startProgram } from '../../tools/start-program.ts';
import { exemplary, startBackend } from './backends/backend.ts';
import { error } from './backends/changes.ts';
import { noResponse, startStubServer } from './backends/stub-server.ts';
import { TestClock } from './backends/test-clock.ts';
import { program, runCommand, startCommand } from './run-command.ts';

/** Starts a correct backend until the test ends. Returns its origin. */
async function startCorrectBackend(): Promise<string> {
  const { origin, stop } = await startBackend(new TestClock(), exemplary);
  onTestFinished(stop);
  return origin;
}

test('exits with 0 and writes the reports when the selected check passes', async () => {
  const folder = join(temporaryFolder(), 'reports');
  const args = [await startCorrectBackend(), '--only', 'ACCOUNT-2', '--report', folder];
  const output = expect.stringContaining(`reports      ${folder}/conformance.html`);
  expect(await runCommand(...args)).toMatchObject({ code: 0, output, errors: '' });
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  expect(read('conformance.html')).toContain('<html');
  expect(read('conformance.xml')).toContain('<testsuite');
  const { results } = JSON.parse(read('conformance.json')) as { results: object[] };
  expect(results).toMatchObject([{ id: 'ACCOUNT-2', status: 'passed' }]);
});

test('shows progress in one line of a narrow terminal', { tags: 'script' }, async () => {
  const origin = await startCorrectBackend();
  const command = `stty cols 40; exec ${process.execPath} ${program} ${origin} --only ACCOUNT-2`;
  const { output } = await startProgram(['script', '-qec', command, '/dev/null']).ended;
  const [progress = '', report] = output.split('\r\u001B[2K').slice(-2);
  expect(progress).toMatch(/^check 1 of 1: ACCOUNT-2 waits for POST/);
  expect(progress.length).toBeLessThan(40);
  expect(stripVTControlCharacters(report!).trimStart()).toMatch(/^Totals/);
});

test('exits with 3 and an instruction when no server listens', async () => {
  const errors = expect.stringContaining(
    'Nothing listens on port 1 of 127.0.0.1. Start the backend',
  );
  expect(await runCommand('http://127.0.0.1:1')).toMatchObject({ code: 3, errors });
});

test('keeps its exit code when the reader of its output ends early', async () => {
  const { child, ended } = startCommand(['--help']);
  child.stdout?.destroy();
  expect(await ended).toMatchObject({ code: 0, errors: '' });
});

test('exits with 2 before any request when the report folder cannot be created', async () => {
  const file = join(temporaryFolder(), 'a-file');
  writeFileSync(file, '');
  const outcome = await runCommand('http://127.0.0.1:1', '--report', join(file, 'reports'));
  const errors = expect.stringContaining('--report: cannot write to');
  expect(outcome).toMatchObject({ code: 2, output: '', errors });
});

test('accepts an untrusted certificate and warns that browsers do not', async () => {
  const origin = await startHttpsProxy(await startCorrectBackend());
  const output = expect.stringMatching(/Browsers will warn about its certificate[^]*mkcert/);
  expect(await runCommand(origin, '--only', 'PROJECT-1')).toMatchObject({ code: 0, output });
});

test('suggests https when an http address speaks TLS, also with --only', async () => {
  const origin = await startHttpsProxy(await startCorrectBackend());
  const address = origin.replace('https:', 'http:');
  const output = expect.stringContaining(`This is https: give ${origin} as the address.`);
  expect(await runCommand(address, '--only', 'SIGNIN-1')).toMatchObject({ code: 1, output });
});

test.each([
  ['SIGINT', 130, []],
  // The only MUST check is met before.
  ['SIGTERM', 143, ['--only', 'REACH-1', '--only', 'ACCOUNT-19']],
] as const)('reports what was judged, and what it leaves, after %s', async (signal, code, only) => {
  const folder = temporaryFolder();
  const { origin, stop } = await startStubServer(({ method }) => {
    if (method === 'GET') return error(401, 'Please sign in.');
    void command.kill(signal);
    return noResponse;
  });
  onTestFinished(stop);
  const command = startCommand([origin, ...only, '--report', folder]);
  const output = expect.stringMatching(
    /the run was stopped[^]*stay on the server: delete from users where email like '%kit\.example\.org%'/,
  );
  expect(await command.ended).toMatchObject({ code, output, errors: '' });
  expect(readFileSync(join(folder, 'conformance.json'), 'utf8')).toContain('"status": "passed"');
});

/** Starts a TLS server with a self-signed certificate that forwards to an http origin. */
async function startHttpsProxy(origin: string): Promise<string> {
  const pem = readFileSync(new URL('../../testing/self-signed.pem', import.meta.url));
  const server = createTlsServer({ key: pem, cert: pem }, (client) => {
    const backend = connect(Number(new URL(origin).port), '127.0.0.1');
    for (const socket of [client, backend]) socket.on('error', () => {});
    client.on('close', () => backend.destroy());
    backend.on('close', () => client.destroy());
    client.pipe(backend).pipe(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}
