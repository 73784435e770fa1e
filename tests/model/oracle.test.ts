import { expect, test } from 'vitest';
import { pathsThrough } from './adapter.ts';
import { auth, projects, withLateAnswers } from './models.ts';
import { oracleHands } from './oracle.ts';
import { showingAuth, showingProjects } from './seen.ts';
import { walk } from './walk.ts';

const once = (check: () => Promise<void>) => check();

test('auth is as the specification says, on every path through it', async () => {
  const paths = pathsThrough(auth);
  for (const path of [...paths, ...withLateAnswers(auth, paths)]) {
    const held = await walk(path, showingAuth, oracleHands(showingAuth.start), once);
    expect(held).toBe(path.steps.length);
  }
});

test('projects are as the specification says, on every path through them', async () => {
  const paths = pathsThrough(projects);
  for (const path of [...paths, ...withLateAnswers(projects, paths)]) {
    const held = await walk(path, showingProjects, oracleHands(showingProjects.start), once);
    expect(held).toBe(path.steps.length);
  }
});
