import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { handpicked } from '../../mutation/manual-mutants.ts';

test('every hand-picked fault is one of the source as it stands', () => {
  const stale = handpicked.filter(({ file, from }) => !readFileSync(file, 'utf8').includes(from));
  expect(stale.map(({ file, what }) => `${file}: ${what}`)).toEqual([]);
  expect(handpicked.length).toBeGreaterThan(50);
});
