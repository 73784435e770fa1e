import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Runs the files that failed last time first, then project by project the fastest, so that a run
 * that ends with the first failure ends early. A worker goes on with a file of the same project
 * only. For each other file a new worker loads all modules, which takes seconds. A run without
 * `bail` starts with the longest files, as Vitest does.
 */
export class LikelyFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort
    if (!this.ctx.config.bail) return super.sort(specifications);
    const rank = ({ project, moduleId }: TestSpecification) => {
      const key = `${project.name}:${relative(this.ctx.config.root, moduleId)}`;
      const { failed, duration = 0 } = this.ctx.cache.getFileTestResults(key) ?? {};
      return failed ? [0, 0] : [1 + this.ctx.projects.indexOf(project), duration];
    };
    return specifications.toSorted((a, b) => {
      const [[projectA = 0, durationA = 0], [projectB = 0, durationB = 0]] = [rank(a), rank(b)];
      return projectA - projectB || durationA - durationB;
    });
  }
}
