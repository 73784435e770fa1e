import { expect, test } from 'vitest';
import { howToRaise, overBudget } from '../../tools/bundle-size.ts';

test('a screen over its budget is listed with the excess, and how to raise the budget', () => {
  const budget = { '/': 100, '/login': 200, '/projects': 200 };
  expect(overBudget({ '/': 101, '/login': 200, '/projects': 260 }, budget)).toEqual([
    '/ has 101 bytes, 1 over its budget of 100.',
    '/projects has 260 bytes, 60 over its budget of 200.',
    howToRaise,
  ]);
  expect(overBudget({ '/': 100, '/login': 200, '/projects': 1 }, budget)).toEqual([]);
});
