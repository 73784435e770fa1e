import { expect, test } from 'vitest';
import { manualMutants } from '../../mutation/manual-mutants.ts';

test('every manual mutant applies to the source', () => {
  const { mutants, doNotApply } = manualMutants();
  expect(doNotApply).toEqual([]);
  expect(mutants.length).toBeGreaterThan(100);
});
