import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '../../shared/waits.ts';
import { findFreePort } from '../../tools/free-port.ts';
import { startProgram } from '../../tools/start-program.ts';
import { CookieClient, signedInClient } from '../../testing/cookie-client.ts';
import type { Figures } from '../../testing/torture/figures.ts';
import { countProjects, fails, projectFolder, run, untilReady } from './commands.ts';

type Environment = Record<string, string>;

/** Returns the environment of the Docker daemon. Starts one in `folder` if none is running. */
export async function startDocker(folder: string) {
  if (!(await fails('docker', ['info']))) return { env: {}, [Symbol.asyncDispose]: async () => {} };
  const env = { DOCKER_HOST: `unix://${folder}/docker.sock` };
  const daemon = startProgram([
    'dockerd',
    `--data-root=${folder}/docker`,
    `--exec-root=${folder}/docker-run`,
    `--pidfile=${folder}/docker.pid`,
    `--host=${env.DOCKER_HOST}`,
  ]);
  await daemon.waitFor('an answer of Docker', async () => !(await fails('docker', ['info'], env)));
  return { env, [Symbol.asyncDispose]: async () => void (await daemon.kill('SIGTERM')) };
}

/** Builds the image without a registry. */
export async function buildImage(env: Environment): Promise<Figures> {
  const startMs = performance.now();
  await run('server/deploy/build-image.sh', [], { ...env, TOOL: 'docker' });
  const size = await run('docker', ['image', 'inspect', '--format={{.Size}}', 'tracker'], env);
  return {
    'build (s)': Math.round((performance.now() - startMs) / 1000),
    'size (MB)': Math.round(Number(size) / 1e6),
  };
}

/** Runs the image on SQLite, with a read-only root file system and without capabilities. */
export async function runImage(env: Environment): Promise<Figures> {
  const docker = (...args: string[]) => run('docker', args, env);
  const name = `tracker-${process.pid}`;
  const port = await findFreePort();
  const address = `http://localhost:${port}`;
  const start = () =>
    docker(
      'run',
      '--detach',
      `--name=${name}`,
      `--volume=${name}:/data`,
      '--env=DATA_DIR=/data',
      `--publish=127.0.0.1:${port}:3000`,
      '--read-only',
      '--cap-drop=ALL',
      '--security-opt=no-new-privileges',
      'tracker',
    );
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(async () => void (await docker('volume', 'rm', name)));
  cleanup.defer(async () => void (await docker('rm', '--force', name)));
  const startMs = performance.now();
  await start();
  await untilReady(address);
  const readyMs = performance.now() - startMs;
  const client = await signedInClient(address);
  assert.equal((await client.createProject()).status, 201);
  assert.equal(await docker('exec', name, 'id', '-u'), '1000');
  assert.ok(await fails('docker', ['exec', name, 'touch', '/app/x'], env));
  await docker('exec', name, 'node', 'server/commands/backup.ts', '/data/backup.sqlite');

  await docker('stop', '--time=30', name);
  assert.equal(await docker('inspect', '--format={{.State.ExitCode}}', name), '0');
  await docker('rm', name);
  await start();
  await untilReady(address);
  assert.equal(await countProjects(client), 1);
  return { 'from docker run to ready (ms)': Math.round(readyMs) };
}

/**
 * Runs server/deploy/compose.yaml. `root` has Debian's PostgreSQL and becomes the image in place of
 * docker.io/library/postgres.
 */
export async function runCompose(env: Environment, folder: string, root: string): Promise<Figures> {
  const POSTGRES_IMAGE = await buildPostgresImage(env, folder, root);
  const ports = [await findFreePort(), await findFreePort()] as const;
  const password = 'a-secret-of-the-test';
  const file = writeComposeFile(folder, ports, password);
  const composeEnv = { ...env, POSTGRES_IMAGE, COMPOSE_PROJECT_NAME: `tracker-${process.pid}` };
  const compose = (...args: string[]) =>
    run('docker-compose', ['--file', file, ...args], composeEnv);
  await compose('config', '--quiet');
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(async () => void (await compose('down', '--volumes')));
  const startMs = performance.now();
  await compose('up', '--detach', '--no-build');
  const [first, second] = ports.map((port) => `http://localhost:${port}`) as [string, string];
  await untilReady(first);
  await untilReady(second);
  const readyMs = performance.now() - startMs;

  const inspect = async (service: string, format: string) =>
    run('docker', ['inspect', `--format=${format}`, await compose('ps', '-q', service)], env);
  const services = ['tracker-a', 'tracker-b', 'postgres'];
  for (const service of services) {
    await waitFor(
      `the health of ${service}`,
      async () => (await inspect(service, '{{.State.Health.Status}}')) === 'healthy',
    );
    assert.ok(!(await inspect(service, '{{json .}}')).includes(password));
  }
  const client = await signedInClient(first);
  assert.equal((await client.createProject()).status, 201);
  const sameAccount = new CookieClient(second, client.credentials, client.cookies);
  assert.equal(await countProjects(sameAccount), 1);
  await guessPassword(client);

  const killedMs = performance.now();
  process.kill(Number(await inspect('postgres', '{{.State.Pid}}')), 'SIGKILL');
  await waitFor(
    'the return of PostgreSQL',
    async () => (await client.createProject()).status === 201,
  );
  const recoveryMs = performance.now() - killedMs;
  const restarts = await inspect('postgres', '{{.RestartCount}}');
  const serverRestarts = await inspect('tracker-a', '{{.RestartCount}}');

  await compose('stop');
  for (const service of services) {
    assert.equal(await inspect(service, '{{.State.ExitCode}}'), '0', `exit code of ${service}`);
  }
  await compose('start');
  await untilReady(second);
  assert.equal(await countProjects(sameAccount), 2);
  return {
    'from up to two ready servers (ms)': Math.round(readyMs),
    'restarts of the killed PostgreSQL': restarts,
    'until a create succeeds again (ms)': Math.round(recoveryMs),
    'failed: restarts of the server meanwhile': Number(serverRestarts),
  };
}

/** Makes an image of Debian's PostgreSQL in `root`. Returns its name. */
async function buildPostgresImage(env: Environment, folder: string, root: string) {
  const context = join(folder, 'postgres');
  mkdirSync(context);
  cpSync(
    join(projectFolder, 'nightly/deploy/postgres-entrypoint.sh'),
    join(context, 'entrypoint.sh'),
  );
  writeFileSync(
    join(context, 'Containerfile'),
    'FROM base\nCOPY entrypoint.sh /\nRUN ln -s /usr/lib/postgresql/*/bin/pg_isready /usr/local/bin\n' +
      'STOPSIGNAL SIGINT\nCMD ["/entrypoint.sh"]\n',
  );
  await run('sh', ['-c', `tar -C ${root} -c . | docker import - base`], env);
  const image = 'tracker-test-postgres';
  await run('docker', ['build', `--tag=${image}`, `--file=${context}/Containerfile`, context], env);
  return image;
}

/** Writes the compose file with other ports, and its secret beside it. Returns its path. */
function writeComposeFile(folder: string, ports: readonly [number, number], password: string) {
  const deploy = join(folder, 'project/server/deploy');
  mkdirSync(join(deploy, 'secrets'), { recursive: true, mode: 0o700 });
  writeFileSync(join(deploy, 'secrets/postgres_password'), password);
  const text = readFileSync(join(projectFolder, 'server/deploy/compose.yaml'), 'utf8');
  const adapted = text
    .replace('127.0.0.1:3000:', `127.0.0.1:${ports[0]}:`)
    .replace('127.0.0.1:3001:', `127.0.0.1:${ports[1]}:`);
  const file = join(deploy, 'compose.yaml');
  writeFileSync(file, adapted);
  return file;
}

/** Guesses eleven times from one client and once from another: a proxy here is trusted. */
async function guessPassword({ address, credentials }: CookieClient) {
  const guess = async (ip: string) => {
    const wrong = { ...credentials, password: 'a wrong guess' };
    const headers = { 'x-forwarded-for': ip };
    return (await new CookieClient(address).login(wrong, { headers })).status;
  };
  for (let i = 0; i < 10; i += 1) assert.equal(await guess('192.0.2.1'), 401);
  assert.equal(await guess('192.0.2.1'), 429);
  assert.equal(await guess('192.0.2.2'), 401);
}
