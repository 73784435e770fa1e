import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Runs the files that failed last time first, then the fastest, so that a run that ends with the
 * first failure ends early. A run without `bail` starts with the longest files, as Vitest does.
 */
export class LikelyFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort
    if (!this.ctx.config.bail) return super.sort(specifications);
    const rank = ({ project, moduleId }: TestSpecification) => {
      const key = `${project.name}:${relative(this.ctx.config.root, moduleId)}`;
      const { failed, duration } = this.ctx.cache.getFileTestResults(key) ?? {};
      return failed ? 0 : (duration ?? 0);
    };
    return specifications.toSorted((a, b) => rank(a) - rank(b));
  }
}
