import { waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { allPaths } from '../../model/models.ts';
import { walk } from '../../model/walk.ts';
import { createCoverage } from './coverage.ts';
import { createScreensDriver } from './screens-driver.tsx';

const paths = allPaths();
const coverage = createCoverage(paths);

// Without the document, which Testing Library appends to the message.
const retry = (compare: () => Promise<void>) => waitFor(compare, { onTimeout: (error) => error });

test.each(paths.map((path) => [path.name, path] as const))(
  'the rendered screens agree with the oracle: %s',
  async (_, path) => {
    const driver = await createScreensDriver();
    expect(await walk(path, driver, retry)).toBe(path.events.length + 1);
    coverage.completePath(await driver.inspection());
  },
);
