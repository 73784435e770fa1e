import assert from 'node:assert/strict';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '../../shared/waits.ts';
import { findFreePort } from '../../tools/free-port.ts';
import { startProgram } from '../../tools/start-program.ts';
import { signedInClient } from '../../testing/cookie-client.ts';
import type { Figures } from '../../testing/torture/figures.ts';
import { restartInTurn } from '../../testing/torture/scenarios.ts';
import { countProjects, fails, projectFolder, run, untilReady } from './commands.ts';

const unit = readFileSync(join(projectFolder, 'server/deploy/tracker.service'), 'utf8');

/** Boots Debian with systemd in `root`, which has the app in /app, and runs the unit there. */
export async function runUnderSystemd(root: string): Promise<Figures> {
  const ports = [await findFreePort(), await findFreePort(), await findFreePort()] as const;
  await installUnit(root, ports[0]);
  const address = `http://localhost:${ports[0]}`;
  await using machine = await boot(root);
  const { inside, systemctl } = machine;
  await untilReady(address);
  const client = await signedInClient(address);
  assert.equal((await client.createProject()).status, 201);
  const mainPid = () => systemctl('show', '--value', '--property=MainPID', 'tracker');
  await checkProcess(machine, await mainPid());

  const backup = 'DATA_DIR=/var/lib/tracker node /opt/tracker/server/commands/backup.ts';
  const asTracker = (command: string) =>
    inside('runuser', '-u', 'tracker', '--', 'sh', '-c', command);
  await asTracker(`${backup} /var/lib/tracker/backup.sqlite`);

  await systemctl('kill', '--signal=KILL', 'tracker');
  await waitFor('the restart of the killed server', async () => (await mainPid()) !== '0');
  await untilReady(address);
  assert.equal(await countProjects(client), 1);

  const stopStartMs = performance.now();
  await systemctl('stop', 'tracker');
  const stopMs = performance.now() - stopStartMs;
  const result = await systemctl('show', '--property=Result,ExecMainStatus', 'tracker');
  assert.equal(result, 'Result=success\nExecMainStatus=0');

  const instances = ports.slice(1).map((port) => `tracker@${port}`);
  const addresses = ports.slice(1).map((port) => `http://localhost:${port}`);
  for (const instance of instances) await systemctl('start', instance);
  await Promise.all(addresses.map(untilReady));
  const options = { proxyName: 'haproxy', rounds: 3, clientCount: 8 } as const;
  const restarts = await restartInTurn(addresses, options, async (i) => {
    await systemctl('restart', instances[i]!);
    await untilReady(addresses[i]!);
  });

  const settings = join(root, 'etc/tracker.env');
  writeFileSync(settings, 'DATABASE_ULR=postgres://tracker@localhost/tracker\n');
  await systemctl('start', 'tracker');
  await waitFor('the end of a start whose DATABASE_URL is misspelt', async () => {
    const status = await systemctl('show', '--value', '--property=ExecMainStatus', 'tracker');
    return status === '1';
  });
  return { ...restarts, 'stop (ms)': Math.round(stopMs) };
}

/** Installs the app, the unit for one port, and a template of it for any port. */
async function installUnit(root: string, port: number) {
  const inRoot = (path: string) => join(root, path);
  renameSync(inRoot('app'), inRoot('opt/tracker'));
  await run('chroot', [root, ...'useradd --system --home-dir /var/lib/tracker tracker'.split(' ')]);
  writeFileSync(inRoot('etc/hosts'), '127.0.0.1 localhost\n');
  writeFileSync(inRoot('etc/tracker.env'), 'DATA_DIR=/var/lib/tracker\n', { mode: 0o600 });
  assert.match(unit, /PORT=3000/);
  for (const [name, value] of [
    ['tracker', `${port}`],
    ['tracker@', '%i'],
  ] as const) {
    const text = unit.replace('PORT=3000', `PORT=${value}`);
    writeFileSync(inRoot(`etc/systemd/system/${name}.service`), text);
  }
  const verified = await run('systemd-analyze', ['verify', `--root=${root}`, 'tracker.service']);
  assert.equal(verified, '');
  await run('systemctl', [`--root=${root}`, 'enable', 'tracker.service']);
}

type Machine = Awaited<ReturnType<typeof boot>>;

/** Throws if the process has other rights than the unit says. */
async function checkProcess({ inside }: Machine, pid: string) {
  const status = await inside('cat', `/proc/${pid}/status`);
  const tracker = await inside('id', '-u', 'tracker');
  assert.match(status, new RegExp(`^Uid:\t${tracker}\t${tracker}\t`, 'm'));
  assert.match(status, /^Seccomp:\t2$/m);
  assert.match(status, /^NoNewPrivs:\t1$/m);
  assert.match(status, /^CapEff:\t0+$/m);
  assert.equal(await inside('stat', '--format=%a %U', '/var/lib/tracker'), '700 tracker');
  assert.notEqual(await inside('ls', '/var/cache/tracker'), '');
}

/** Boots a root file system with systemd, on the network of this machine. */
async function boot(root: string) {
  const name = `tracker-${process.pid}`;
  const system = startProgram(
    [
      'systemd-nspawn',
      '--quiet',
      '--register=no',
      '--keep-unit',
      `--machine=${name}`,
      `--directory=${root}`,
      '--boot',
    ],
    // It takes a pipe for a console, and reads it.
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let leader = '';
  await system.waitFor('systemd to boot', async () => {
    leader = await run('pgrep', ['--parent', String(system.pid), 'systemd']).catch(() => '');
    return leader !== '';
  });
  const enter = ['--target', leader, '--all'];
  const inside = (...command: string[]) => run('nsenter', [...enter, ...command]);
  const systemctl = (...args: string[]) => inside('systemctl', '--no-pager', ...args);
  await system.waitFor(
    'an answer of systemd',
    async () => !(await fails('nsenter', [...enter, 'systemctl'])),
  );
  return {
    inside,
    systemctl,
    async [Symbol.asyncDispose]() {
      await systemctl('poweroff').catch(() => system.kill('SIGTERM'));
      await system.ended;
    },
  };
}
