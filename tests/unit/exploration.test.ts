import { expect, test } from 'vitest';
import type { Call } from '../../model/calls.ts';
import { explore, messageOf } from '../../model/exploration.ts';
import { createExploredApp } from '../../model/explored-app.ts';
import { differencesOf } from '../../model/observation.ts';

test('an exploration finds a step in which the app throws', async () => {
  const go = () => Promise.reject(new Error('broken'));
  const createApp = () => ({ ...createExploredApp(), go });
  const difference = { steps: ['go to /login'], differences: ['The app throws Error: broken'] };
  await expect(explore(createApp, [{ calls: ['login'] }])).resolves.toMatchObject({ difference });
});

test.each([
  [{ a: 1 }, {}, 'list.a: the app has 1, and the specification says nothing'],
  [{}, { a: 1 }, 'list.a: the app has nothing, and the specification says 1'],
])('the difference of %j from %j is named', (actual, expected, difference) => {
  expect(differencesOf({ list: actual }, { list: expected })).toEqual([difference]);
});

test.each<{ calls: Call[] }>([
  { calls: ['login', 'registerUser'] },
  { calls: ['registerUser', 'listProjects', 'createProject'] },
])('the app agrees with the oracle in every state of $calls', async (scope) => {
  const { difference } = await explore(createExploredApp, [scope]);
  expect(difference ? [messageOf(difference)] : []).toEqual([]);
});
