import type { Reporter, TestModule } from 'vitest/node';
import { findMissingSoftware, installCommand, mustTestAll } from './optional-software.ts';

/** Names at the end of a run the files that were skipped because they need missing software. */
export default class TestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]) {
    const filesOf = (name: string) =>
      modules.filter(({ children }) =>
        [...children.allTests('skipped')].some(({ tags }) => tags.includes(name)),
      );
    const missing = findMissingSoftware().filter((name) => filesOf(name).length > 0);
    if (missing.length === 0) return;
    for (const name of missing) {
      const files = filesOf(name).map(({ relativeModuleId }) => relativeModuleId);
      console.log(
        `${mustTestAll() ? 'FAIL' : 'not run:'} ${files.join(', ')}: ${name} is not installed`,
      );
    }
    console.log(installCommand(missing));
    if (mustTestAll()) process.exitCode = 1;
  }
}
