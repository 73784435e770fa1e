import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { findFreePort } from '../tools/free-port.ts';
import { requireSoftware } from '../tools/optional-software.ts';
import { root } from '../tools/run.ts';
import { startProgram } from '../tools/start-program.ts';

const pem = join(root, 'testing/self-signed.pem');

/** Pairs of a text of a file in server/deploy/, and its replacement. */
export type Replacements = [text: string, replacement: string][];

interface Kind {
  /** In server/deploy/. */
  file: string;
  /** Returns what this machine needs other than the file says. */
  adapt: (ports: { http: number; https: number }) => Replacements;
  /** Returns the arguments that check the file, and those that run it in the foreground. */
  commands: (folder: string, file: string) => { check: string[]; run: string[] };
}

const isRoot = process.getuid?.() === 0;

const kinds = {
  nginx: {
    file: 'nginx.conf',
    adapt: ({ http, https }) => [
      ['listen 80', `listen ${http}`],
      ['listen [::]:80', `listen [::]:${http}`],
      ['listen 443', `listen ${https}`],
      ['listen [::]:443', `listen [::]:${https}`],
      ['/etc/ssl/tracker.crt', pem],
      ['/etc/ssl/tracker.key', pem],
    ],
    commands: (folder, file) => {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
      writeFileSync(
        join(folder, 'main.conf'),
        `${isRoot ? 'user root;' : ''}
        worker_processes 2;
        pid ${folder}/nginx.pid;
        error_log stderr;
        events {}
        http {
          access_log off;
          ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
          include ${file};
        }`,
      );
      const run = ['-e', 'stderr', '-c', join(folder, 'main.conf'), '-g', 'daemon off;'];
      return { check: ['-t', ...run], run };
    },
  },
  haproxy: {
    file: 'haproxy.cfg',
    adapt: ({ http, https }) => [
      ['bind :::80 ', `bind :::${http} `],
      ['bind :::443 ', `bind :::${https} `],
      ['/etc/haproxy/tracker.pem', pem],
      ['    user haproxy\n    group haproxy\n', ''],
    ],
    commands: (_folder, file) => ({
      check: ['-c', '-f', file],
      run: ['-db', '-f', file],
    }),
  },
} satisfies Record<string, Kind>;

export type ProxyName = keyof typeof kinds;
export const proxyNames = Object.keys(kinds) as ProxyName[];

/**
 * Starts a proxy with its file of server/deploy/ in front of the servers at two addresses, or of one
 * that it takes for two. Replaces ports, certificate and servers. Throws if the proxy rejects the
 * file or warns about it.
 */
export async function startProxy(
  name: ProxyName,
  addresses: string[],
  replacements: Replacements = [],
) {
  trustTestCertificate();
  const program = requireSoftware(name);
  const { file, adapt, commands }: Kind = kinds[name];
  const folder = mkdtempSync(join(tmpdir(), 'tracker-app-proxy-'));
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  const ports = { http: await findFreePort(), https: await findFreePort() };
  const [first = '', second = first] = addresses.map((address) => new URL(address).port);
  const servers: Replacements = [
    ['127.0.0.1:3000', `127.0.0.1:${first}`],
    ['127.0.0.1:3001', `127.0.0.1:${second}`],
  ];
  const original = readFileSync(join(root, `server/deploy/${file}`), 'utf8');
  const replaced = new Map([...adapt(ports), ...servers, ...replacements]);
  for (const text of replaced.keys()) {
    if (!original.includes(text))
      throw new Error(`server/deploy/${file} does not contain "${text}".`);
  }
  // In one pass, because a replacement can contain the text of another: port 44307 begins with 443.
  const escaped = Array.from(replaced.keys(), (text) => text.replace(/[[\]().]/g, '\\$&'));
  const texts = new RegExp(escaped.join('|'), 'g');
  const adapted = join(folder, file);
  writeFileSync(
    adapted,
    original.replace(texts, (text) => replaced.get(text)!),
  );
  const { check, run } = commands(folder, adapted);
  const checked = spawnSync(program, check, { encoding: 'utf8' });
  const report = checked.stdout + checked.stderr;
  if (checked.status !== 0 || /\[warn/i.test(report)) {
    throw new Error(`${name} does not accept server/deploy/${file}: ${report}`);
  }
  const proxy = startProgram([program, ...run]);
  cleanup.defer(async () => void (await proxy.kill('SIGTERM')));
  await proxy.waitFor(`${name} to listen`, () => isListening(ports.https));
  const resources = cleanup.move();
  return {
    address: `https://localhost:${ports.https}`,
    httpAddress: `http://localhost:${ports.http}`,
    port: ports.https,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Makes `fetch` in this process accept the certificate. */
function trustTestCertificate() {
  const known = getCACertificates('default');
  const certificate = readFileSync(pem, 'utf8').match(/-----BEGIN CERT[^]+/)?.[0] ?? '';
  if (!known.includes(certificate)) setDefaultCACertificates([...known, certificate]);
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}
