import { expect, test, vi } from 'vitest';
import { callNames } from '../../../model/calls.ts';
import { explore } from '../../../model/exploration.ts';
import { createExploredApp } from './explored-app.ts';
import { longTestMs } from '../../support/time-limits.ts';

vi.setConfig({ testTimeout: longTestMs * 30 });

test('the app agrees with the oracle in every state [ENTITY-2, ENTITY-5, AUTH-2, AUTH-4, AUTH-6, CHOICE-33]', async () => {
  const { states, transitions, made, difference } = await explore(() => createExploredApp());
  console.log(`Explored ${states} states and ${transitions} transitions.`);
  expect(difference).toBeUndefined();
  expect(
    callNames.filter((call) => !made.has(call)),
    'not in `stepsCausing`',
  ).toEqual([]);
});
