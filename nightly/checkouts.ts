import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../tools/free-port.ts';
import { readCommandLine, selectNamesOrExit } from '../tools/command-line.ts';
import { printResult, root } from '../tools/run.ts';
import { startProgram } from '../tools/start-program.ts';

const { words } = readCommandLine(
  `Usage: npm run node -- nightly/checkouts.ts [WORD…]

Installs a copy of the last commit in several ways and folders, and runs "npm start" there. It must
build the same app, or print one sentence. A WORD selects rows. Needs the registry of npm.`,
  { words: true },
);

interface Row {
  /** Otherwise the packages of the row before are used. */
  install?: string;
  folder?: string;
  env?: Record<string, string>;
  /** What "npm start" prints in place of a build. */
  sentence?: RegExp;
  /** Must succeed after the build. */
  command?: string;
}

const addDev = /^The development dependencies .+ "npm ci --include=dev"\.$/;
const addOptional = /"npm ci --include=optional"/;
const move = /^The path of this folder has the character /;

const rows: Record<string, Row> = {
  'NODE_ENV=production npm ci': {
    install: 'npm ci',
    env: { NODE_ENV: 'production' },
    sentence: addDev,
  },
  'npm ci --omit=dev': { install: 'npm ci --omit=dev', sentence: addDev },
  'npm ci --omit=optional': { install: 'npm ci --omit=optional', sentence: addOptional },
  'npm ci --ignore-scripts': {
    install: 'npm ci --ignore-scripts',
    command: 'npm run test:server -- server/tests/projects',
  },
  'npm 10': { install: 'npx -y npm@10 ci' },
  'npm 11': { install: 'npx -y npm@11 ci' },
  ...Object.fromEntries(
    ['production', 'development', 'test', ''].map((value): [string, Row] => [
      `NODE_ENV=${value} npm start`,
      { env: { NODE_ENV: value }, command: 'npm run test:unit -- screens/login' },
    ]),
  ),
  ...Object.fromEntries(
    ['a b', 'a-_.,@+=~()&', 'é 日本 😀'].map((folder): [string, Row] => [folder, { folder }]),
  ),
  ...Object.fromEntries(
    ["it's", 'a#b', 'a?b', 'a:b', 'a%20b', 'a\\b', 'a[b]', 'a$b'].map((folder): [string, Row] => [
      folder,
      { folder, sentence: move },
    ]),
  ),
};

const readyText = / is ready at /;
const parent = mkdtempSync(join(tmpdir(), 'tracker-checkouts-'));
let current = join(parent, 'checkout');
// The default of Git for Windows.
execFileSync('git', ['clone', '--quiet', '--config=core.autocrlf=true', root, current]);
let isInstalled = false;
let builtFiles: string | undefined;
let exitCode = 0;
for (const name of selectNamesOrExit(Object.keys(rows), words)) {
  const problems = await problemsOf(rows[name]!).catch((error: Error) => [error.message]);
  printResult(name, problems);
  if (problems.length > 0) exitCode = 1;
}
rmSync(parent, { recursive: true, force: true });
process.exit(exitCode);

async function problemsOf({ install, folder = 'checkout', env, sentence, command }: Row) {
  if (install ?? !isInstalled) await run(install ?? 'npm ci', env);
  isInstalled = true;
  const moved = join(parent, folder);
  if (moved !== current) renameSync(current, moved);
  current = moved;
  rmSync(join(current, 'dist'), { recursive: true, force: true });
  const printed = await start(env);
  if (sentence) {
    const [line = '', ...more] = printed.trim().split('\n');
    return sentence.test(line) && more.length === 0 ? [] : [`npm start printed: ${printed}`];
  }
  if (!readyText.test(printed)) return [`npm start did not start: ${printed}`];
  // Their names contain hashes.
  const files = readdirSync(join(current, 'dist/assets')).toSorted().join(' ');
  builtFiles ??= files;
  if (files !== builtFiles) return [`built ${files}, and before ${builtFiles}`];
  if (command) await run(command, env);
  return [];
}

/** Runs "npm start" until it is ready or has ended. Returns what it printed. */
async function start(env?: Record<string, string>): Promise<string> {
  const port = await findFreePort();
  await using program = startShell('npm start --silent', { ...env, PORT: `${port}`, DATA_DIR: '' });
  await program.printed(readyText).catch(() => {});
  return program.errors() + program.output();
}

async function run(command: string, env?: Record<string, string>) {
  const { code, errors, output } = await startShell(command, env).ended;
  if (code !== 0) throw new Error(`${command} failed:\n${errors}${output}`);
}

/** Without what npm has set for this process, such as the Node of this project. */
function startShell(command: string, env: Record<string, string> = {}) {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE/.test(name));
  const path = process.env['PATH']!.split(':').filter((folder) => !folder.includes('node_modules'));
  return startProgram(['sh', '-c', command], {
    cwd: current,
    env: { ...Object.fromEntries(own), PATH: path.join(':'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
