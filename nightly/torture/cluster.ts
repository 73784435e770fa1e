import { randomInt } from 'node:crypto';
import { chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { killTree, signalTree } from '../../tests/support/process-tree.ts';
import type { Settings } from '../../tests/support/server-process.ts';
import { createFolder } from './disk.ts';
import { measureOutage } from './outage.ts';
import { requirePrograms, startProgram, unprivileged } from './programs.ts';
import type { Figures } from './run-scenarios.ts';
import { runSql } from './sql.ts';
import { until } from './until.ts';

const documented = new URL('../../server/deploy/cluster/', import.meta.url);
const binaries = '/usr/lib/postgresql/15/bin';
const maxSeconds = 40;

/** What Patroni reports at /cluster. */
interface Member {
  name: string;
  role: 'leader' | 'sync_standby' | 'replica';
  state: string;
}

type Node = ReturnType<typeof createNode>;

/** How the machine of the leader fails, and how it returns. */
const failures = {
  'kill -9': { fail: (node: Node) => node.kill(), recover: (node: Node) => node.start() },
  SIGSTOP: {
    fail: async (node: Node) => node.signal('SIGSTOP'),
    recover: async (node: Node) => node.signal('SIGCONT'),
  },
};

/** Interrupts the leader of the cluster of server/deploy/cluster/. Throws `NotSupported`. */
export async function loseLeader(
  failure: keyof typeof failures,
  common: Settings,
): Promise<Figures> {
  requirePrograms(join(binaries, 'postgres'), 'patroni', 'etcd', 'haproxy');
  const { fail, recover } = failures[failure];
  await using stack = new AsyncDisposableStack();
  const { nodes, urlOf } = await startCluster(stack);
  const timesMs: Record<string, number> = {};
  const figures = await measureOutage({
    settings: { ...common, DATABASE_URL: urlOf('tracker') },
    async interrupt() {
      const before = leaderOf(await nodes[0]!.members());
      const old = nodes.find(({ name }) => name === before)!;
      const witness = nodes.find((node) => node !== old)!;
      await fail(old);
      const failedMs = performance.now();
      const record = async (what: string, isReached: (members: Member[]) => boolean) => {
        await until(what, async () => isReached(await witness.members()), maxSeconds);
        timesMs[what] = performance.now() - failedMs;
      };
      await record('another node leads', (all) => ![undefined, before].includes(leaderOf(all)));
      await recover(old);
      await record('the old leader follows it', (all) => leaderOf(all) !== before && isWhole(all));
      return failedMs;
    },
  });
  const times = Object.entries(timesMs).map(([what, ms]) => [
    `until ${what} (s)`,
    (ms / 1000).toFixed(1),
  ]);
  return { nodes: nodes.length, ...figures, ...Object.fromEntries(times) };
}

/** Starts the three nodes and HAProxy with the documented files. */
async function startCluster(stack: AsyncDisposableStack) {
  const folder = createFolder('tracker-app-cluster-');
  stack.defer(() => rmSync(folder, { recursive: true }));
  // Linux routes all of 127.0.0.0/8 to this machine, so each node has its address and the
  // documented ports. Random, because other clusters may run.
  const network = `127.${randomInt(1, 255)}.${randomInt(255)}.`;
  const adapt = (text: string, nodeFolder: string) =>
    text
      .replaceAll('10.0.0.0/24', '127.0.0.0/8')
      .replaceAll('10.0.0.', network)
      .replaceAll('127.0.0.1:5000', `${network}10:5000`)
      .replaceAll(/\/var\/(lib\/(postgresql\/15|etcd)|run\/postgresql)/g, nodeFolder);
  const read = (name: string, nodeFolder = folder) =>
    adapt(readFileSync(new URL(name, documented), 'utf8'), nodeFolder);
  const nodes = [1, 2, 3].map((number) => createNode(number, folder, network, read));
  for (const node of nodes) stack.use(node);
  await Promise.all(nodes.map((node) => node.startEtcd()));
  for (const node of nodes) await node.start();
  writeFileSync(join(folder, 'haproxy.cfg'), read('haproxy.cfg'));
  stack.use(await startProgram('haproxy', ['-db', '-f', 'haproxy.cfg'], { cwd: folder }));
  await until('three members run', async () => isWhole(await nodes[0]!.members()), maxSeconds);
  const urlOf = (role: string) => `postgres://${role}:change-me@${network}10:5000/${role}`;
  const isAnswered = () =>
    runSql(urlOf('postgres'), 'select 1').then(
      () => true,
      () => false,
    );
  await until('HAProxy passes on a statement', isAnswered, maxSeconds);
  const statements = read('database.sql').split('\n').filter(Boolean);
  for (const statement of statements) await runSql(urlOf('postgres'), statement);
  return { nodes, urlOf };
}

/** One machine: etcd, Patroni and PostgreSQL. `kill` and `signal` leave etcd alone. */
function createNode(
  number: number,
  parent: string,
  network: string,
  read: (name: string, folder: string) => string,
) {
  const name = `node${number}`;
  const folder = join(parent, name);
  mkdirSync(folder);
  const { uid, gid } = unprivileged;
  if (uid) chownSync(folder, uid, gid);
  writeFileSync(join(folder, 'patroni.yml'), read('patroni.yml', folder));
  const environment = (file: string) => {
    const own = (line: string) =>
      line.replaceAll('node1', name).replaceAll(`${network}11`, `${network}1${number}`);
    const lines = read(file, folder).split('\n');
    return parseEnv(
      lines.map((line) => (line.startsWith('ETCD_INITIAL_CLUSTER') ? line : own(line))).join('\n'),
    ) as Record<string, string>;
  };
  let etcd: AsyncDisposable | undefined;
  let patroni: Awaited<ReturnType<typeof startProgram>> | undefined;

  /** Returns Patroni and PostgreSQL, which is not a child of Patroni. */
  const roots = () => {
    const pids = patroni ? [patroni.pid] : [];
    try {
      pids.push(Number.parseInt(readFileSync(join(folder, 'tracker/postmaster.pid'), 'utf8'), 10));
    } catch {
      // PostgreSQL does not run.
    }
    return pids;
  };
  const kill = async () => {
    for (const pid of roots()) await killTree(pid);
    patroni = undefined;
  };
  return {
    name,
    async startEtcd() {
      etcd = await startProgram('etcd', [], { cwd: folder, env: environment('etcd.env') });
    },
    async start() {
      const env = environment('patroni.env');
      patroni = await startProgram('patroni', ['patroni.yml'], { cwd: folder, env });
    },
    kill,
    signal: (signal: NodeJS.Signals) => roots().forEach((pid) => signalTree(pid, signal)),
    /** Returns no members while Patroni does not answer. */
    async members(): Promise<Member[]> {
      const address = `http://${network}1${number}:8008/cluster`;
      try {
        const response = await fetch(address, { signal: AbortSignal.timeout(2000) });
        return ((await response.json()) as { members: Member[] }).members;
      } catch {
        return [];
      }
    },
    async [Symbol.asyncDispose]() {
      await kill();
      await etcd?.[Symbol.asyncDispose]();
    },
  };
}

const leaderOf = (members: Member[]) => members.find(({ role }) => role === 'leader')?.name;

const isWhole = (members: Member[]) =>
  members.filter(({ state }) => ['running', 'streaming'].includes(state)).length === 3 &&
  members.some(({ role }) => role === 'sync_standby');
