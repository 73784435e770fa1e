import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { findFreePort } from '../../tools/free-port.ts';
import { optionalSoftware, requireSoftware } from '../../tools/optional-software.ts';

/** Starts PgBouncer in front of a database until the test ends. Returns the database's new URL. */
export async function startPgBouncer(url: string, settings: Record<string, string | number>) {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-app-pgbouncer-'));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { port, username, password, pathname } = new URL(url);
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: await findFreePort(),
    unix_socket_dir: '',
    auth_type: 'any',
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${port} user=${username} password=${password}
[pgbouncer]
${lines.join('\n')}
`,
  );
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const { program } = requireSoftware(optionalSoftware.pgbouncer);
  const child = spawn(program, [file], { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      log += chunk;
      if (log.includes('process up')) resolve();
    });
    child.once('close', () => reject(new Error(`PgBouncer did not start: ${log}`)));
  });
  return `postgres://any@127.0.0.1:${all.listen_port}${pathname}`;
}
