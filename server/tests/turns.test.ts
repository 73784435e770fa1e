import { expect, test } from 'vitest';
import { StoreUnavailable } from '../store/database.ts';
import { createTurns } from '../store/turns.ts';

test('tasks of a key run one after another, and no task of another key waits for them', async () => {
  const inTurn = createTurns();
  const started: string[] = [];
  const first = Promise.withResolvers<string>();
  const add = (key: string, name: string, result: Promise<string> | string = name) =>
    inTurn(key, async () => {
      started.push(name);
      return result;
    });
  const tasks = [add('a', 'a 1', first.promise), add('a', 'a 2'), add('b', 'b 1'), add('a', 'a 3')];
  expect(await tasks[2]).toBe('b 1');
  expect(started).toEqual(['a 1', 'b 1']);
  first.resolve('done');
  expect(await Promise.all(tasks)).toEqual(['done', 'a 2', 'b 1', 'a 3']);
  expect(started).toEqual(['a 1', 'b 1', 'a 2', 'a 3']);
});

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
