import { afterAll, expect } from 'vitest';
import { machines } from '../../machines/all.ts';
import { transitionsOf, type Inspection } from '../../model/inspection.ts';
import type { Path } from '../../model/paths.ts';

/**
 * Fails after the tests of the file unless the app took every transition of the machines, and
 * ignored every event that a path expects a machine to ignore.
 */
export function createCoverage(paths: Path[]) {
  const expected = new Set([
    ...Object.values(machines)
      .flatMap(transitionsOf)
      .map(({ name }) => name),
    ...paths.flatMap(({ events }) => events.flatMap(({ inspection }) => inspection.ignored)),
  ]);
  let completedPaths = 0;

  afterAll(() => {
    // A run of selected tests, or with a failure, cannot cover everything.
    if (completedPaths === paths.length) expect([...expected], 'not covered').toEqual([]);
  });

  return {
    /** Call it when a path was walked to its end. */
    completePath({ transitions, ignored }: Inspection) {
      completedPaths++;
      for (const name of [...transitions, ...ignored]) expected.delete(name);
    },
  };
}
