import { waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { unreachableForUsers } from '../../model/unreachable.ts';
import { coverage } from './coverage.ts';
import { authPaths, projectsPaths } from '../../model/moves.ts';
import { createOracle } from '../../model/oracle.ts';
import { createScreensDriver } from './screens-driver.tsx';
import { showingAuth, showingProjects } from '../../model/expectations.ts';
import { walk } from './walk.ts';

const ofAuth = authPaths();
const ofProjects = projectsPaths();
const walked = coverage('screens', ofAuth.length + ofProjects.length, unreachableForUsers);
const until = (check: () => Promise<void>) => waitFor(check);

test.each(ofAuth)('auth on the screens: $name', async (path) => {
  const { start } = showingAuth;
  const [hands, oracle] = [await createScreensDriver(start), createOracle(start)];
  const held = await walk({ path, hands, showing: showingAuth, oracle, coverage: walked, until });
  expect(held).toBe(path.steps.length);
});

test.each(ofProjects)('projects on the screens: $name', async (path) => {
  const { start } = showingProjects;
  const [hands, oracle] = [await createScreensDriver(start), createOracle(start)];
  const showing = showingProjects;
  const held = await walk({ path, hands, showing, oracle, coverage: walked, until });
  expect(held).toBe(path.steps.length);
});
