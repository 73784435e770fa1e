/**
 * `npm test`: all checks beside all tests. A failure stops nothing but the rest of its test. The
 * last line is the totals, in which a check, and a browser that cannot be found, count as one. The
 * lines before it name the tests that were not run. Those of missing software count as failed with
 * `TRACKER_TEST_ALL=1`.
 */
import { globSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startVitest, type TestCase, type Vitest } from 'vitest/node';
import { check } from './check.ts';
import { findChromium, installCommands } from './chromium.ts';
import { findMissingSoftware, mustTestAll } from './optional-software.ts';
import { root, runStep, testFiles, type StepTotals } from './run.ts';
import { findTempParent } from './temp-parent.ts';

// Hundreds of processes load the same modules, so they share one compile cache.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/node');

const folder = await mkdtemp(join(await findTempParent(), 'tests-'));
// PostgreSQL runs as another user, and writes here.
await chmod(folder, 0o1777);
process.env['TMPDIR'] = folder;
const checks = check();
const browser = await runStep('browser', findBrowser);
const ofTests = await runTests().finally(() => rm(folder, { recursive: true, force: true }));
const steps = [...(await checks), browser];
for (const { name } of steps.filter((step) => step.failed > 0))
  console.log(`FAIL ${name}: its problems are above`);
const totals = [...steps, ofTests];
const passed = totals.reduce((sum, part) => sum + part.passed, 0);
const failed = totals.reduce((sum, part) => sum + part.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : process.exitCode);

/**
 * Sets `CHROMIUM` to a working browser, so that no test has to search for one. Empties it if none
 * can be installed, so that the tests that need it are skipped.
 */
async function findBrowser(): Promise<string[]> {
  const given = process.env['CHROMIUM'];
  if (given === '') return [];
  try {
    process.env['CHROMIUM'] = await findChromium(given ? [] : installCommands());
  } catch (error) {
    const { message } = error as Error;
    if (given) return [message];
    process.env['CHROMIUM'] = '';
    console.log(message);
  }
  return [];
}

async function runTests(): Promise<StepTotals> {
  const vitest = await startVitest('test', [], { run: true, bail: 0 });
  try {
    return countTests(vitest);
  } finally {
    await vitest.close();
  }
}

/** A file that was not loaded or not run, and a test that was not run, count as failed. */
function countTests({ state }: Vitest): StepTotals {
  const modules = state.getTestModules();
  const tests = modules.flatMap(({ children }) => [...children.allTests()]);
  const testsThat = (result: string) => tests.filter((test) => test.result().state === result);
  const missing = findMissingSoftware();
  const needsMissing = ({ tags }: TestCase) => missing.some((name) => tags.includes(name));
  const problems = [
    ...modules
      .filter((module) => !module.ok() && [...module.children.allTests('failed')].length === 0)
      .map(({ relativeModuleId }) => `${relativeModuleId} failed outside its tests`),
    ...[...testsThat('skipped'), ...testsThat('pending')]
      .filter((test) => !needsMissing(test))
      .map(({ module, fullName }) => `${module.relativeModuleId}: "${fullName}" was not run`),
    ...globSync(testFiles, { cwd: root })
      .filter((path) => !modules.some(({ relativeModuleId }) => relativeModuleId === path))
      .map(
        (path) => `${path} was not run: does it belong to a project of testing/vitest-projects.ts?`,
      ),
    ...state.getUnhandledErrors().map(() => 'an error outside the tests, which is printed above'),
    ...(tests.length === 0 ? ['no test was run'] : []),
  ];
  for (const problem of problems) console.log(`FAIL ${problem}`);
  return {
    name: 'tests',
    passed: testsThat('passed').length,
    failed: testsThat('failed').length + problems.length + (mustTestAll() ? missing.length : 0),
  };
}
