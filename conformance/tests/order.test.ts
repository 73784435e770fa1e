import { expect, test } from 'vitest';
import { checks } from '../checks/all.ts';
import type { Check } from '../checks/check.ts';
import { expectOwnIds, isCauseOf, runOrder } from '../checks/order.ts';

test.each([
  ['Two checks have the id ERR-1.', [{ id: 'ERR-1' }]],
  ['UI-1 was the id of a removed check.', [{ id: 'UI-1' }]],
])('the kit does not start: %s', (message, added) => {
  expect(() => expectOwnIds([...checks, ...added])).toThrow(message);
});

test('each check runs after its causes, MUST checks as early as these allow', () => {
  const rest = runOrder.filter(({ inspects }) => !inspects);
  expect(runOrder.slice(0, rest.length)).toEqual(rest);
  for (const [index, check] of rest.entries())
    expect(rest.slice(index).filter((later) => isCauseOf(later, check))).toEqual([]);
  const isMust = ({ level }: Check) => level === 'MUST';
  const explainsMust = (check: Check) =>
    rest.some((each) => isMust(each) && isCauseOf(check, each));
  const optional = rest.slice(0, rest.findLastIndex(isMust)).filter((check) => !isMust(check));
  expect(optional.filter((check) => !explainsMust(check))).toEqual([]);
});
