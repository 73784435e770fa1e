import { waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { fewest, pathsThrough, transitionsOf } from './adapter.ts';
import { auth, partsOf, projects } from './models.ts';
import { screensHands } from './screens-hands.tsx';
import { showingAuth, showingProjects } from './seen.ts';
import { walk } from './walk.ts';

const authPaths = fewest(pathsThrough(auth), partsOf(auth));
const projectsPaths = fewest(pathsThrough(projects), partsOf(projects));

const until = (check: () => Promise<void>) => waitFor(check);

test('the paths take every transition that the charts draw', () => {
  const taken = [...authPaths, ...projectsPaths].flatMap(({ steps }) =>
    steps.flatMap(({ did }) => did.transitions),
  );
  const drawn = [auth, projects].flatMap(({ machine }) => transitionsOf(machine));
  expect(new Set(taken)).toEqual(new Set(drawn));
});

test.each(authPaths)('auth on the screens: $name', async (path) => {
  const { hands } = await screensHands(showingAuth.start);
  expect(await walk(path, showingAuth, hands, until)).toBe(path.steps.length);
});

test.each(projectsPaths)('projects on the screens: $name', async (path) => {
  const { hands } = await screensHands(showingProjects.start);
  expect(await walk(path, showingProjects, hands, until)).toBe(path.steps.length);
});
