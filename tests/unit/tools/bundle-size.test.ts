import { expect, test } from 'vitest';
import { overBudget } from '../../../tools/bundle-size.ts';

test('a screen that weighs more than it may is named, with by how much', () => {
  const limits = { '/': 100, '/login': 200, '/projects': 200 };
  expect(overBudget({ '/': 101, '/login': 200, '/projects': 260 }, limits)).toEqual([
    '/ takes 101 bytes, 1 more than its budget: see tools/bundle-size.ts',
    '/projects takes 260 bytes, 60 more than its budget: see tools/bundle-size.ts',
  ]);
  expect(overBudget({ '/': 100, '/login': 200, '/projects': 1 }, limits)).toEqual([]);
});
