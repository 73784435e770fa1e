import { expect, test } from 'vitest';
import { StoreUnavailable } from '../../store/database.ts';
import { createTurns } from '../../store/turns.ts';

test.each([
  ['the database', 'fails too', new StoreUnavailable(new Error('locked'))],
  ['a refusal', 'runs', new Error('refused')],
])('after a task that fails by %s, the next one %s', async (_cause, expected, error) => {
  const inTurn = createTurns();
  const results = await Promise.allSettled([
    inTurn('a', () => Promise.reject(error)),
    inTurn('a', async () => 'done'),
    inTurn('b', async () => 'done'),
  ]);
  const outcomes = results.map((each) => (each.status === 'rejected' ? each.reason : each.value));
  expect(outcomes).toEqual([error, expected === 'fails too' ? error : 'done', 'done']);
  expect(await inTurn('a', async () => 'later')).toBe('later');
});
