import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { CannotRun, parseArguments } from '../../conformance/cli.ts';
import { parseTarget } from '../../conformance/target.ts';
import { startServer, temporaryFolder } from '../server/support.ts';
import { noResponse, startStubServer } from './backends/stub-server.ts';

const program = fileURLToPath(new URL('../../conformance/main.ts', import.meta.url));

const runCommand = (...args: string[]) => outcomeOf(startCommand(...args));

const startCommand = (...args: string[]) =>
  spawn(process.execPath, [program, ...args], { env: { ...process.env, NO_COLOR: '1' } });

async function outcomeOf(child: ReturnType<typeof startCommand>) {
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, errors };
}

test('exits with 0 and writes the reports when the selected check passes', async () => {
  const folder = join(temporaryFolder(), 'reports');
  const args = [await startServer(), '--only', 'ACCOUNT-2', '--report', folder];
  const { code, output, errors } = await runCommand(...args);
  expect(output).toContain(`reports      ${folder}/conformance.html`);
  expect(errors).toBe('');
  expect(code).toBe(0);
  for (const name of ['conformance.html', 'conformance.json', 'conformance.xml']) {
    expect(existsSync(join(folder, name))).toBe(true);
  }
  expect(JSON.parse(readFileSync(join(folder, 'conformance.json'), 'utf8'))).toMatchObject({
    results: [{ id: 'ACCOUNT-2', status: 'passed' }],
  });
});

test.each([40, 120])(
  'shows progress in one line of a terminal with %d columns',
  async (columns) => {
    const command = `stty cols ${columns}; exec ${process.execPath} ${program} ${await startServer()} --only ACCOUNT-2`;
    const { output } = await outcomeOf(spawn('script', ['-qec', command, '/dev/null']));
    const [progress = '', report] = output.split('\r\u001B[2K').slice(-2);
    expect(progress).toMatch(/^check 1 of 1: ACCOUNT-2 waits for GET/);
    expect(progress.length).toBeLessThan(columns);
    expect(stripVTControlCharacters(report!).trimStart()).toMatch(/^What your users|^Totals/);
  },
);

test('exits with 3 and an instruction when no server listens', async () => {
  const { code, errors } = await runCommand('http://127.0.0.1:1');
  expect(code).toBe(3);
  expect(errors).toContain('Nothing listens on port 1 of 127.0.0.1. Start the backend');
});

test('exits with 2 and names every mistake in its arguments', async () => {
  const { code, errors } = await runCommand('--only', 'NOTHING-1', '--seed', 'x');
  expect(code).toBe(2);
  expect(errors).toContain('ADDRESS is missing');
  expect(errors).toContain('there is no check "NOTHING-1"');
  expect(errors).toContain('--seed must be a whole number');
});

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(
    readFileSync(new URL('../../conformance/package.json', import.meta.url), 'utf8'),
  ) as { version: string };
  expect(await runCommand('--version')).toEqual({ code: 0, output: `${version}\n`, errors: '' });
});

test('keeps its exit code when the reader of its output ends early', async () => {
  const child = startCommand('--help');
  child.stdout.destroy();
  const { code, errors } = await outcomeOf(child);
  expect(errors).toBe('');
  expect(code).toBe(0);
});

test('--help names the command, each option and each exit code in 80 columns', async () => {
  const { code, output } = await runCommand('--help');
  expect(code).toBe(0);
  expect(output).toMatch(/^Usage: npx tracker-conformance ADDRESS \[options\]\n/);
  for (const option of ['only', 'report', 'origin', 'seed', 'ui', 'verbose', 'list', 'version'])
    expect(output).toContain(`\n  --${option} `);
  for (const exitCode of [0, 1, 2, 3, 130]) expect(output).toMatch(`\n  ${exitCode} `);
  expect(output.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test.each([
  [['--onyl', 'XSRF'], ['There is no option --onyl. Did you mean --only?']],
  [['-report', 'x'], ['There is no option -report. Did you mean --report?']],
  [['--json=x'], ['There is no option --json.']],
  [['--report'], ['--report needs a value.']],
  [['--report', '--seed', '5'], ['--report needs a value.']],
  [['--seed='], ['--seed needs a value.']],
  [['--ui=yes'], ['--ui takes no value.']],
  [
    ['--url', 'a', '--verison'],
    [
      'There is no option --url.',
      'There is no option --verison. Did you mean --verbose or --version?',
    ],
  ],
  [['--origin', 'app'], ['--origin must be a URL such as https://app.example.org, but is "app".']],
])('explains what is wrong with the options %j', (options, errors) => {
  const parse = () => parseArguments(['http://localhost', ...options], ['XSRF-1']);
  expect(parse).toThrow(new CannotRun([...errors, 'See --help.'].join('\n')));
});

test.each(['a-file/reports', '/proc/nowhere'])(
  'exits with 2 before any request when the report folder %s cannot be created',
  async (name) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a-file'), '');
    const reports = name.startsWith('/') ? name : join(folder, name);
    const { code, output, errors } = await runCommand('http://127.0.0.1:1', '--report', reports);
    expect(errors).toContain('--report: cannot write to');
    expect(output).toBe('');
    expect(code).toBe(2);
  },
);

test('accepts an untrusted certificate and warns that browsers do not', async () => {
  const origin = await startHttpsProxy(await startServer());
  const { code, output } = await runCommand(origin, '--only', 'SIGNIN', '--only', 'PROJECT');
  expect(output).toContain('Browsers will warn about its certificate');
  expect(output).toContain('mkcert');
  expect(code).toBe(0);
});

test('suggests https when an http address speaks TLS', async () => {
  const origin = await startHttpsProxy(await startServer());
  const { code, output } = await runCommand(origin.replace('https:', 'http:'), '--only', 'REACH');
  expect(output).toContain(`This is https: give ${origin} as the address.`);
  expect(code).toBe(1);
});

test('prints the run id of the data it leaves on the server when interrupted', async () => {
  const { origin, stop } = await startStubServer(() => {
    child.kill('SIGINT');
    return noResponse;
  });
  onTestFinished(stop);
  const child = startCommand(origin);
  const { code, errors } = await outcomeOf(child);
  expect(errors).toMatch(/^Stopped early\. .*contain "[a-z\d]{11}".* like '%kit\.example\.org'\n$/);
  expect(code).toBe(130);
});

/** Starts a TLS server with a self-signed certificate that forwards to an http origin. */
async function startHttpsProxy(origin: string): Promise<string> {
  const pem = readFileSync(new URL('./self-signed.pem', import.meta.url));
  const server = createTlsServer({ key: pem, cert: pem }, (client) => {
    const backend = connect(Number(new URL(origin).port), '127.0.0.1');
    for (const [socket, peer] of [
      [client, backend],
      [backend, client],
    ] as const) {
      socket.on('error', () => {});
      socket.on('close', () => peer.destroy());
    }
    client.pipe(backend).pipe(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

test.each([
  ['http://localhost:8080', 'http://localhost:8080'],
  ['http://localhost:8080/', 'http://localhost:8080'],
  ['http://localhost:8080/api/v1/', 'http://localhost:8080'],
  ['localhost:8080', 'http://localhost:8080'],
  ['8080', 'http://localhost:8080'],
  [':8080', 'http://localhost:8080'],
  ['https://api.example.org/api', 'https://api.example.org'],
])('parses the address %s as %s', (address, origin) => {
  expect(parseTarget(address)).toMatchObject({ origin });
});

test.each(['ftp://localhost', 'http://', 'http://localhost/tracker', 'http://me:secret@localhost'])(
  'rejects the address %s with a reason',
  (address) => {
    expect(() => parseTarget(address)).toThrow(CannotRun);
  },
);

test('--only selects a group or an id, but not an id that only starts with the same text', () => {
  const ids = ['XSRF-1', 'XSRF-12', 'TEXT-1'];
  const parsed = parseArguments(['http://localhost', '--only', 'xsrf-1'], ids);
  expect(parsed).toMatchObject({ kind: 'run', settings: { only: ['XSRF-1'] } });
  const parse = () => parseArguments(['http://localhost', '--only', 'XSR'], ids);
  expect(parse).toThrow('there is no check "XSR"');
});
