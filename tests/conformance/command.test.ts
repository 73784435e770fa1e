import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { parseArguments } from '../../conformance/cli.ts';
import { startServer } from './selftest/fault-proxy.ts';
import { startReference } from './selftest/reference.ts';
import { parseTarget } from '../../conformance/target.ts';
import { temporaryFolder } from '../server/support.ts';

const program = fileURLToPath(new URL('../../conformance/main.ts', import.meta.url));

type Ended = { code: number | null; output: string; errors: string };

const command = (...args: string[]): Promise<Ended> => ended(started(...args));

const started = (...args: string[]) =>
  spawn(process.execPath, [program, ...args], { env: { ...process.env, NO_COLOR: '1' } });

function ended(child: ReturnType<typeof started>): Promise<Ended> {
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, output, errors }));
  });
}

test('ends with 0 where what was asked for is met, and writes the reports', async () => {
  const reference = await startOurs();
  const folder = join(temporaryFolder(), 'reports');
  const { code, output } = await command(
    reference.address,
    '--only',
    'ACCOUNT-2',
    '--report',
    folder,
  );
  expect(output).toContain('accepts connections');
  expect(code).toBe(0);
  for (const name of ['conformance.html', 'conformance.json', 'conformance.xml']) {
    expect(existsSync(join(folder, name))).toBe(true);
  }
  expect(JSON.parse(readFileSync(join(folder, 'conformance.json'), 'utf8'))).toMatchObject({
    results: [{ id: 'ACCOUNT-2', status: 'passed' }],
  });
});

test('ends with 3 where nothing listens, and says what to do', async () => {
  const { code, errors } = await command('http://127.0.0.1:1');
  expect(code).toBe(3);
  expect(errors).toContain('Nothing listens on port 1 of 127.0.0.1. Start the backend');
});

test('ends with 2 where it does not understand, and says why', async () => {
  const { code, errors } = await command('--only', 'NOTHING-1', '--seed', 'x');
  expect(code).toBe(2);
  expect(errors).toContain('ADDRESS is missing');
  expect(errors).toContain('there is no check "NOTHING-1"');
  expect(errors).toContain('--seed must be a whole number');
});

test.each(['a-file/reports', '/proc/nowhere'])(
  'ends with 2 before any call where %s cannot be a folder for reports',
  async (name) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a-file'), '');
    const reports = name.startsWith('/') ? name : join(folder, name);
    const { code, output, errors } = await command('http://127.0.0.1:1', '--report', reports);
    expect(errors).toContain('--report: cannot write to');
    expect(output).toBe('');
    expect(code).toBe(2);
  },
);

test('goes on where nobody trusts the certificate, and says what browsers will', async () => {
  const address = await behindHttps((await startOurs()).address);
  const { code, output } = await command(address, '--only', 'SIGNIN', '--only', 'PROJECT');
  expect(output).toContain('Browsers will warn about its certificate');
  expect(output).toContain('mkcert');
  expect(code).toBe(0);
});

test('says that it is https where http was given', async () => {
  const address = await behindHttps((await startOurs()).address);
  const { code, output } = await command(address.replace('https:', 'http:'), '--only', 'REACH');
  expect(output).toContain(`This is https: give ${address} as the address.`);
  expect(code).toBe(1);
});

test('stopped in the middle, it says by what its leavings can be told', async () => {
  const backend = await startServer(() => void child.kill('SIGINT'));
  onTestFinished(backend.stop);
  const child = started(backend.address);
  const { code, errors } = await ended(child);
  expect(errors).toMatch(
    /Stopped early\. The data created so far stays on the server and contains "[a-z\d]{11}"\./,
  );
  expect(code).toBe(130);
});

async function startOurs() {
  const running = await startReference();
  onTestFinished(running.stop);
  return running;
}

/** A server on https, with a certificate that it signed itself, in front of one on http. */
async function behindHttps(address: string): Promise<string> {
  const pem = readFileSync(new URL('./self-signed.pem', import.meta.url));
  const server = createTlsServer({ key: pem, cert: pem }, (socket) => {
    const inner = connect(Number(new URL(address).port), '127.0.0.1');
    for (const each of [socket, inner]) {
      each.on('error', () => {});
      each.on('close', () => (each === socket ? inner : socket).destroy());
    }
    socket.pipe(inner).pipe(socket);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
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
])('%s is the backend at %s', (given, origin) => {
  expect(parseTarget(given)).toMatchObject({ origin });
});

test.each(['ftp://localhost', 'http://', 'http://localhost/tracker', 'http://me:secret@localhost'])(
  '%s is refused with a reason',
  (given) => {
    expect(parseTarget(given)).toHaveProperty('error');
  },
);

test('a group or an id chooses checks, and nothing that merely begins alike', () => {
  const ids = ['XSRF-1', 'XSRF-12', 'TEXT-1'];
  const asked = parseArguments(['http://localhost', '--only', 'xsrf-1'], ids);
  expect(asked).toMatchObject({ kind: 'run', settings: { only: ['XSRF-1'] } });
  expect(parseArguments(['http://localhost', '--only', 'XSR'], ids).kind).toBe('invalid');
});
