/**
 * `npm test`: the checks, a browser and the build first, because the browser tests need both, then
 * all tests. A failure stops nothing. The last line is the totals, in which each check, the
 * browser and the build count as one. The lines before it name the tests that were not run, which
 * count as failed with `TRACKER_TEST_ALL=1`.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ensureChromium } from './ensure-chromium.ts';
import { buildStaleApps } from './built-app.ts';
import { check } from './check.ts';
import { findMissingSoftware, mustTestAll } from './optional-software.ts';
import { findTempFolder } from './temp-folder.ts';
import { errorLines, printResult, root, runStep, toolCommand, type Totals } from './run.ts';

/** The part of Vitest's JSON report that is used here. */
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

// Hundreds of processes load the same modules, so they share one compile cache.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/node');

const before = await Promise.all([
  check(),
  runStep('browser', findBrowser),
  runStep('build', buildStaleApps),
]);
// After the search for a browser, which may install one.
const missingSoftware = findMissingSoftware();
const totals = [...before.flat(), await runTests()];
if (mustTestAll()) totals.push({ passed: 0, failed: missingSoftware.length });
const passed = totals.reduce((sum, part) => sum + part.passed, 0);
const failed = totals.reduce((sum, part) => sum + part.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/**
 * Sets `CHROMIUM` to a working browser, so that no test has to search for one. Empties it if none
 * can be installed, so that the tests that need it are left out.
 */
async function findBrowser(): Promise<string[]> {
  const given = process.env['CHROMIUM'];
  if (given === '') return [];
  try {
    process.env['CHROMIUM'] = await ensureChromium(console.log);
    return [];
  } catch (error) {
    const lines = error instanceof Error ? error.message.split('\n') : errorLines(error);
    if (given) return lines;
    process.env['CHROMIUM'] = '';
    console.log(lines.join('\n'));
    return [];
  }
}

async function runTests(): Promise<Totals> {
  const folder = await mkdtemp(join(await findTempFolder(), 'tests-'));
  // PostgreSQL runs as another user, and writes here.
  await chmod(folder, 0o1777);
  process.env['TMPDIR'] = folder;
  try {
    const file = join(folder, 'report.json');
    const exitCode = await runVitest(file);
    const { numPassedTests, numFailedTests, testResults }: Report = JSON.parse(
      await readFile(file, 'utf8'),
    );
    const problems = problemsOutsideTests(testResults);
    if (numPassedTests + numFailedTests === 0) problems.push('no test was run');
    if (exitCode !== 0 && numFailedTests + problems.length === 0) {
      problems.push(`vitest exited with ${exitCode} because of an error outside the tests`);
    }
    if (problems.length > 0) printResult('tests', problems);
    return { passed: numPassedTests, failed: numFailedTests + problems.length };
  } catch (error) {
    printResult('tests', errorLines(error));
    return { passed: 0, failed: 1 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Returns one line per file that was not loaded or not run, and per test that was skipped. The
 * files that need missing software have lines of their own.
 */
function problemsOutsideTests(results: Report['testResults']): string[] {
  const expected = new Set([
    ...results.map(({ name }) => relative(root, name)),
    ...globSync(
      missingSoftware.flatMap(({ testFiles }) => testFiles),
      { cwd: root },
    ),
  ]);
  const failedToLoad = results.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  return [
    ...failedToLoad.map(
      ({ name, message }) =>
        `${relative(root, name)} failed outside its tests: ${message || 'see above'}`,
    ),
    ...results.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status !== 'passed' && status !== 'failed')
        .map(({ fullName, status }) => `${relative(root, name)}: "${fullName}" was ${status}`),
    ),
    ...globSync('tests/**/*.test.{ts,tsx}', { cwd: root })
      .filter((path) => !expected.has(path))
      .map((path) => `${path} belongs to no project of vitest.config.ts and was not run`),
  ];
}

function runVitest(outputFile: string): Promise<number | null> {
  const [file = '', ...options] = toolCommand(
    'vitest/vitest.mjs',
    'run',
    '--bail=0',
    '--reporter=default',
    '--reporter=./tools/test-reporter.ts',
    '--reporter=json',
    `--outputFile.json=${outputFile}`,
  );
  return new Promise((resolve, reject) => {
    const child = spawn(file, options, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', reject);
    child.on('close', resolve);
  });
}
