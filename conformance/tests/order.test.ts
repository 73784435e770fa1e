import { expect, test } from 'vitest';
import { checks } from '../checks/all.ts';
import { expectOwnNames } from '../checks/order.ts';
import { asUser } from '../people/visits.ts';

const run = () => Promise.resolve();
const as = (person: string) => asUser(person, run);

test.each([
  ['Two checks have the id ERR-1.', [{ id: 'ERR-1', run }]],
  ['UI-1 was the id of a removed check.', [{ id: 'UI-1', run }]],
  ['NEW-1 signs in as erin, a person of ERR: choose another.', [{ id: 'NEW-1', run: as('erin') }]],
  [
    'NEW-2 signs in as gil, a person of NEW-1: choose another.',
    ['NEW-1', 'NEW-2'].map((id) => ({ id, run: as('gil') })),
  ],
])('the kit does not start: %s', (message, added) => {
  expect(() => expectOwnNames([...checks, ...added])).toThrow(message);
});
