/**
 * `npm test`: the checks, a browser, the build that the browser tests open, and then every test, to the end whatever
 * fails. The last line is the totals; a check, the browser and the build count as one each.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ensureChromium } from './ensure-chromium.ts';
import { check } from './check.ts';
import { findTempFolder } from './temp-folder.ts';
import { failureOf, linesOf, report, root, tool } from './run.ts';

type Totals = { passed: number; failed: number };

/** The part of Vitest's JSON report that is read here. */
type Report = {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string }[];
  }[];
};

// Hundreds of processes load the same modules: what the first of them compiled serves the others.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/node');

const before = await Promise.all([
  check(),
  step('browser', browser),
  step('build', () => failureOf(tool('vite/bin/vite.js', 'build'), 300)),
]);
const totals = [...before, await tests()];
const passed = totals.reduce((sum, part) => sum + part.passed, 0);
const failed = totals.reduce((sum, part) => sum + part.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function step(name: string, faults: () => Promise<string[]>): Promise<Totals> {
  const found = await faults();
  report(name, found);
  return found.length > 0 ? { passed: 0, failed: 1 } : { passed: 1, failed: 0 };
}

/** Every test then takes the browser that was seen to open a page. */
async function browser(): Promise<string[]> {
  try {
    process.env['CHROMIUM'] = await ensureChromium(console.log);
    return [];
  } catch (error) {
    return error instanceof Error ? error.message.split('\n') : linesOf(error);
  }
}

async function tests(): Promise<Totals> {
  const folder = await mkdtemp(join(await findTempFolder(), 'tests-'));
  // Databases run as users of their own.
  await chmod(folder, 0o1777);
  process.env['TMPDIR'] = folder;
  try {
    const file = join(folder, 'report.json');
    const code = await vitest(file);
    const { numPassedTests, numFailedTests, testResults }: Report = JSON.parse(
      await readFile(file, 'utf8'),
    );
    const faults = faultsBesides(testResults);
    if (numPassedTests + numFailedTests === 0) faults.push('no test was run');
    if (code !== 0 && numFailedTests + faults.length === 0)
      faults.push(`vitest ended with ${code} for an error outside the tests`);
    if (faults.length > 0) report('tests', faults);
    return { passed: numPassedTests, failed: numFailedTests + faults.length };
  } catch (error) {
    report('tests', linesOf(error));
    return { passed: 0, failed: 1 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What is wrong beside the tests that failed: files that could not be loaded or were left out, tests that were skipped. */
function faultsBesides(results: Report['testResults']): string[] {
  const ran = new Set(results.map(({ name }) => relative(root, name)));
  const unloaded = results.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  return [
    ...unloaded.map(
      ({ name, message }) =>
        `${relative(root, name)} failed outside its tests: ${message || 'see above'}`,
    ),
    ...results.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status !== 'passed' && status !== 'failed')
        .map(({ fullName, status }) => `${relative(root, name)}: "${fullName}" was ${status}`),
    ),
    ...globSync('tests/**/*.test.{ts,tsx}', { cwd: root })
      .filter((path) => !ran.has(path))
      .map((path) => `${path} belongs to no project of vite.config.ts and was not run`),
  ];
}

function vitest(outputFile: string): Promise<number | null> {
  const [file = '', ...options] = tool(
    'vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${outputFile}`,
  );
  return new Promise((resolve, reject) => {
    const child = spawn(file, options, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', reject);
    child.on('close', resolve);
  });
}
