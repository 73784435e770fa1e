import { waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { notByAPerson } from '../../model/unreachable.ts';
import { coverage } from './coverage.ts';
import { authPaths, projectsPaths } from '../../model/moves.ts';
import { oracleHands } from '../../model/oracle.ts';
import { screensHands } from './screens-driver.tsx';
import { showingAuth, showingProjects } from '../../model/expectations.ts';
import { walk } from './walk.ts';

const ofAuth = authPaths();
const ofProjects = projectsPaths();
const walked = coverage('screens', ofAuth.length + ofProjects.length, notByAPerson);
const until = (check: () => Promise<void>) => waitFor(check);

test.each(ofAuth)('auth on the screens: $name', async (path) => {
  const { start } = showingAuth;
  const [hands, oracle] = [await screensHands(start), oracleHands(start)];
  const held = await walk({ path, hands, showing: showingAuth, oracle, coverage: walked, until });
  expect(held).toBe(path.steps.length);
});

test.each(ofProjects)('projects on the screens: $name', async (path) => {
  const { start } = showingProjects;
  const [hands, oracle] = [await screensHands(start), oracleHands(start)];
  const showing = showingProjects;
  const held = await walk({ path, hands, showing, oracle, coverage: walked, until });
  expect(held).toBe(path.steps.length);
});
