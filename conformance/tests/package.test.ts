import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { exemplary, startBackend } from './backends/backend.ts';
import { TestClock } from './backends/test-clock.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const maxTarballBytes = 600_000;

type Outcome = { code: number; stdout: string; stderr: string };

/** Runs a program in a folder. Returns its exit code and what it printed. */
const run = (folder: string, file: string, ...args: string[]): Promise<Outcome> =>
  promisify(execFile)(file, args, { cwd: folder, env: environment }).then(
    (output) => ({ code: 0, ...output }),
    (error: Outcome) => error,
  );

/** Throws what a program printed if it failed. */
function expectSuccess({ code, stdout, stderr }: Outcome) {
  if (code !== 0) throw new Error(`Exit code ${code}\n${stdout}\n${stderr}`);
}

/** Vitest sets NODE_ENV, with which Vite would build another app. */
const environment = { ...process.env, NODE_ENV: 'production', npm_config_offline: 'true' };

test('the packed kit runs in an empty folder without network', async () => {
  const folder = temporaryFolder();
  expectSuccess(await run(root, 'npm', 'pack', './conformance', `--pack-destination=${folder}`));
  const [tarball = ''] = readdirSync(folder);
  expect(statSync(join(folder, tarball)).size).toBeLessThan(maxTarballBytes);

  expectSuccess(await run(folder, 'npm', 'install', `./${tarball}`));
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(
    ['tracker-conformance'],
  );
  const content = join(folder, 'node_modules/tracker-conformance');
  const names = readdirSync(content, { recursive: true }) as string[];
  expect(names).toEqual(
    expect.arrayContaining([
      'README.md',
      'dist/LICENSE',
      'dist/bin/third-party-licenses.md',
      'dist/contract.md',
      'dist/openapi-3.0.json',
      'dist/openapi.yaml',
      'examples/github-action.yml',
      'examples/node-http/server.mjs',
    ]),
  );
  expect(
    names.filter((name) =>
      /\.test\.|\.(br|gz)$|__pycache__|node_modules|\.sqlite|\.db$/.test(name),
    ),
  ).toEqual([]);

  for (const page of names.filter((name) => /^(README|(dist|examples)\/[^/]*)\.md$/.test(name))) {
    const text = readFileSync(join(content, page), 'utf8');
    const links = [...text.matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map(([, link = '']) => link);
    const own = [...text.matchAll(/`((?:dist|examples)\/[\w./-]*)`/g)].map(([, path]) => path!);
    const dead = [...links.map((link) => join(dirname(page), link)), ...own];
    expect([page, dead.filter((path) => !existsSync(join(content, path)))]).toEqual([page, []]);
  }

  const program = join(folder, 'node_modules/.bin/tracker-conformance');
  const kit = (...args: string[]) => run(folder, program, ...args);
  const { version } = JSON.parse(readFileSync(join(content, 'package.json'), 'utf8')) as {
    version: string;
  };
  expect(await kit('--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
  expect((await kit('--help')).stdout).toMatch(/^Usage: npx tracker-conformance ADDRESS/);

  const { origin, stop } = await startBackend(new TestClock(), exemplary);
  onTestFinished(stop);
  const checks = ['ACCOUNT-1', 'ERR-1', 'PROJECT-1'].flatMap((id) => ['--only', id]);
  expectSuccess(await kit(origin, ...checks, '--report', 'report'));
  expect(readdirSync(join(folder, 'report'))).toContain('conformance.xml');
});

test('an old Node prints which version is needed, without a stack', async () => {
  const launcher = join(root, 'conformance/launcher.js');
  const oldNode = `Object.defineProperty(process, 'versions', { value: { node: '18.20.8' } })`;
  const { code, stderr } = await run(
    root,
    process.execPath,
    `--import=data:text/javascript,${encodeURIComponent(oldNode)}`,
    launcher,
  );
  const { engines } = JSON.parse(readFileSync(join(root, 'conformance/package.json'), 'utf8')) as {
    engines: { node: string };
  };
  expect(stderr).toBe(
    `tracker-conformance needs Node ${engines.node.replace('>=', '')} or newer, ` +
      'and this is Node 18.20.8. Install it from https://nodejs.org, then run the command again.\n',
  );
  expect(code).toBe(2);
});
