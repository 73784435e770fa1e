import { globSync } from 'node:fs';
import { matchesGlob, relative } from 'node:path';
import type { Reporter, TestCase, Vitest } from 'vitest/node';
import { findMissingSoftware, mustTestAll, notRunLines } from './optional-software.ts';
import { root } from './run.ts';

/**
 * Prints a failed test when it fails, because Vitest prints it when its file ends. Names at the end
 * the files that are left out because they need missing software.
 */
export default class TestReporter implements Reporter {
  #vitest!: Vitest;

  onInit(vitest: Vitest) {
    this.#vitest = vitest;
  }

  onTestCaseResult(test: TestCase) {
    const [error] = test.result().errors ?? [];
    if (!error) return;
    const milliseconds = Math.round(test.diagnostic()?.duration ?? 0);
    this.#vitest.logger.error(
      `FAIL ${relative(root, test.module.moduleId)} > ${test.fullName} (${milliseconds} ms)\n` +
        `     ${error.message.split('\n')[0]}`,
    );
  }

  onTestRunEnd() {
    const patterns = this.#vitest.projects.flatMap(({ config }) => config.include);
    const isSelected = (file: string) => patterns.some((pattern) => matchesGlob(file, pattern));
    const missing = findMissingSoftware().filter(({ testFiles }) =>
      globSync(testFiles, { cwd: root }).some(isSelected),
    );
    for (const line of notRunLines(missing)) this.#vitest.logger.log(line);
    if (mustTestAll() && missing.length > 0) process.exitCode = 1;
  }
}
