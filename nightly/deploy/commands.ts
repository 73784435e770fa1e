import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { waitFor } from '../../shared/waits.ts';
import type { CookieClient } from '../../testing/cookie-client.ts';
import { NotSupported } from '../../testing/torture/figures.ts';

export const projectFolder = fileURLToPath(new URL('../../', import.meta.url));

/** Runs a program. Returns its output without the last line break. Throws if it fails. */
export async function run(program: string, args: string[], env: Record<string, string> = {}) {
  const { stdout } = await promisify(execFile)(program, args, {
    cwd: projectFolder,
    env: { ...process.env, ...env },
    maxBuffer: 2 ** 26,
  });
  return stdout.trimEnd();
}

export const fails = (program: string, args: string[], env?: Record<string, string>) =>
  run(program, args, env).then(
    () => false,
    () => true,
  );

/** Throws `NotSupported` without root, or if a program is not installed. */
export async function requireRootAnd(programs: Record<string, string>) {
  if (process.getuid?.() !== 0) throw new NotSupported('needs root');
  for (const [program, debianPackage] of Object.entries(programs)) {
    if (await fails('sh', ['-c', `command -v ${program}`])) {
      throw new NotSupported(`needs ${program} (Debian: apt-get install ${debianPackage})`);
    }
  }
}

/** Returns the length of the list. Repeats the call if it used a connection to a stopped server. */
export async function countProjects(client: CookieClient): Promise<number> {
  let projects: unknown[] = [];
  await waitFor('the list', () =>
    client.listProjects().then(
      ({ status, body }) => {
        projects = body as unknown[];
        return status === 200;
      },
      () => false,
    ),
  );
  return projects.length;
}

export const untilReady = (address: string) =>
  waitFor(`${address} to be ready`, () =>
    fetch(`${address}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
