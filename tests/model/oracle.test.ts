import { expect, test } from 'vitest';
import { pathOf, pathsThrough } from '../../model/paths.ts';
import { auth, authPaths, projects, projectsPaths } from '../../model/moves.ts';
import { createOracle } from '../../model/oracle.ts';
import { showingAuth, showingProjects } from '../../model/expectations.ts';
import { walk } from './walk.ts';

test('auth is as the specification says, on every path through it', async () => {
  const { start } = showingAuth;
  for (const path of [...pathsThrough(auth), ...authPaths()]) {
    const held = await walk({ path, hands: createOracle(start), showing: showingAuth });
    expect(held).toBe(path.steps.length);
  }
});

test('projects are as the specification says, on every path through them', async () => {
  const { start } = showingProjects;
  for (const path of [...pathsThrough(projects), ...projectsPaths()]) {
    const held = await walk({ path, hands: createOracle(start), showing: showingProjects });
    expect(held).toBe(path.steps.length);
  }
});

test('a screen that is closed cannot close', () => {
  const { steps } = pathOf(projects, [
    'projects.closed',
    'projects.opened',
    'projects.closed',
    'projects.closed',
    'batching over',
    'projects.closed',
  ]);
  expect(steps.flatMap(({ inspection: did }) => did.ignored)).toEqual(
    ['closed', 'closing', 'kept'].map(
      (state) => `projects · watch.${state}: projects.closed changes nothing`,
    ),
  );
});
