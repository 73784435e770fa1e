import { globSync } from 'node:fs';
import { matchesGlob, relative } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { findMissingSoftware, mustTestAll, notRunLines } from './optional-software.ts';
import { root } from './run.ts';

/**
 * Prints a failed test when it fails, because Vitest prints it when its file ends. Names at the end
 * the files whose process died, with the test that it ran, and the files that are left out because
 * they need missing software.
 */
export default class TestReporter implements Reporter {
  #vitest!: Vitest;
  /** The test that each file runs, undefined before the first and between two. */
  readonly #running = new Map<TestModule, TestCase | undefined>();

  onInit(vitest: Vitest) {
    this.#vitest = vitest;
  }

  onTestModuleStart(module: TestModule) {
    this.#running.set(module, undefined);
  }

  onTestModuleEnd(module: TestModule) {
    this.#running.delete(module);
  }

  onTestCaseReady(test: TestCase) {
    this.#setRunning(test.module, test);
  }

  /** The reports of the last tests can arrive after the end of their module. */
  #setRunning(module: TestModule, test: TestCase | undefined) {
    if (this.#running.has(module)) this.#running.set(module, test);
  }

  onTestCaseResult(test: TestCase) {
    this.#setRunning(test.module, undefined);
    const [error] = test.result().errors ?? [];
    if (!error) return;
    const milliseconds = Math.round(test.diagnostic()?.duration ?? 0);
    this.#vitest.logger.error(
      `FAIL ${relative(root, test.module.moduleId)} > ${test.fullName} (${milliseconds} ms)\n` +
        `     ${error.message.split('\n')[0]}` +
        (this.#vitest.config.bail ? '\n     The run ends here: -- --bail=0 runs all tests.' : ''),
    );
  }

  onTestRunEnd() {
    for (const [{ moduleId }, test] of this.#running) {
      const name = test ? ` > ${test.fullName}` : '';
      this.#vitest.logger.error(
        `FAIL ${relative(root, moduleId)}${name}: its process ended, for lack of memory or time`,
      );
    }
    const patterns = this.#vitest.projects.flatMap(({ config }) => config.include);
    const isSelected = (file: string) => patterns.some((pattern) => matchesGlob(file, pattern));
    const missing = findMissingSoftware().filter(({ testFiles }) =>
      globSync(testFiles, { cwd: root }).some(isSelected),
    );
    for (const line of notRunLines(missing)) this.#vitest.logger.log(line);
    if (mustTestAll() && missing.length > 0) process.exitCode = 1;
  }
}
