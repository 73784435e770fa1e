import { expect, test } from 'vitest';
import { explore, messageOf } from '../../model/exploration.ts';
import { createExploredApp } from '../../model/explored-app.ts';
import { differencesOf } from '../../model/observation.ts';
import type { Scope } from '../../model/scopes.ts';

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

test.each<[name: string, Scope]>([
  ['two forms', { calls: ['login', 'registerUser'] }],
  ['a text that is not submitted', { calls: ['listProjects', 'createProject'], isFilled: true }],
  ['time and late answers', { calls: ['listProjects', 'createProject'], isLate: true }],
])('the app agrees with the oracle in every state with %s', async (_name, scope) => {
  const { difference } = await explore(createExploredApp, [scope]);
  expect(difference ? [messageOf(difference)] : []).toEqual([]);
});
