import { waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { fewest, pathsThrough, transitionsOf } from './adapter.ts';
import { auth, partsOf, projects, withLateAnswers } from './models.ts';
import { oracleHands } from './oracle.ts';
import { screensHands } from './screens-hands.tsx';
import { showingAuth, showingProjects } from './seen.ts';
import { walk } from './walk.ts';

const ofAuth = pathsThrough(auth);
const ofProjects = pathsThrough(projects);
const authPaths = [...fewest(ofAuth, partsOf(auth)), ...withLateAnswers(auth, ofAuth)];
const projectsPaths = [
  ...fewest(ofProjects, partsOf(projects)),
  ...withLateAnswers(projects, ofProjects),
];

/** Screens may take their time, and mostly don't. */
async function until(check: () => Promise<void>) {
  try {
    await check();
  } catch {
    await waitFor(check);
  }
}

test('the paths take every transition that the charts draw', () => {
  const taken = [...authPaths, ...projectsPaths].flatMap(({ steps }) =>
    steps.flatMap(({ did }) => did.transitions),
  );
  const drawn = [auth, projects].flatMap(({ machine }) => transitionsOf(machine));
  expect(new Set(taken)).toEqual(new Set(drawn));
});

test.each(authPaths)('auth on the screens: $name', async (path) => {
  const { start } = showingAuth;
  const { hands } = await screensHands(start);
  expect(await walk(path, showingAuth, hands, until, oracleHands(start))).toBe(path.steps.length);
});

test.each(projectsPaths)('projects on the screens: $name', async (path) => {
  const { start } = showingProjects;
  const { hands } = await screensHands(start);
  expect(await walk(path, showingProjects, hands, until, oracleHands(start))).toBe(
    path.steps.length,
  );
});
