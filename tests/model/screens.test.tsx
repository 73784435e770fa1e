import { waitFor } from '@testing-library/react';
import { afterAll, expect, test } from 'vitest';
import { machines } from '../../machines/all.ts';
import { transitionsOf } from '../../model/inspection.ts';
import { allPaths } from '../../model/models.ts';
import { walk } from '../../model/walk.ts';
import { createScreensDriver } from './screens-driver.tsx';

const paths = allPaths();
let completedPaths = 0;

/** Every transition of the machines, and every event that a path expects a machine to ignore. */
const uncovered = new Set([
  ...Object.values(machines)
    .flatMap(transitionsOf)
    .map(({ name }) => name),
  ...paths.flatMap(({ events }) => events.flatMap(({ inspection }) => inspection.ignored)),
]);

afterAll(() => {
  // A run of selected tests, or with a failure, cannot cover everything.
  if (completedPaths === paths.length && uncovered.size > 0)
    throw new Error(`not covered:\n${[...uncovered].join('\n')}`);
});

// Without the document, which Testing Library appends to the message.
const retry = (compare: () => Promise<void>) => waitFor(compare, { onTimeout: (error) => error });

test.each(paths.map((path) => [path.name, path] as const))(
  'the rendered screens agree with the oracle: %s',
  async (_, path) => {
    const driver = await createScreensDriver();
    expect(await walk(path, driver, retry)).toBe(path.events.length + 1);
    const { transitions, ignored } = driver.inspection();
    for (const name of [...transitions, ...ignored]) uncovered.delete(name);
    completedPaths++;
  },
);
