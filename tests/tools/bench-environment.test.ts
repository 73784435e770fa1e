import { expect, test } from 'vitest';
import { environment, refusal } from '../../nightly/bench/environment.ts';

const idle = { loadAverage: 0.4, waitingPercent: 0.2 };
const loaded = { loadAverage: 3.16, waitingPercent: 0 };
const waiting = { loadAverage: 0.2, waitingPercent: 62.4 };

test('measures on an idle machine, also where waiting cannot be read', () => {
  expect(refusal(idle, false)).toBeUndefined();
  expect(refusal({ loadAverage: 1, waitingPercent: undefined }, false)).toBeUndefined();
});

test('refuses to measure beside other work, and says what to do', () => {
  expect(refusal(loaded, false)).toBe(
    'The machine has other work (load average of 3.2), so nothing was measured: wait until its ' +
      'load average is at most 1, or pass --force, which the page then mentions.',
  );
  expect(refusal({ loadAverage: 3.16, waitingPercent: undefined }, false)).toContain('3.2');
});

test('refuses while processes wait for a core, before the load average has risen', () => {
  expect(refusal(waiting, false)).toContain(
    '(load average of 0.2, and processes waited for a core during 62 % of a second)',
  );
});

test('measures beside other work with --force, and the page says so first', () => {
  for (const work of [loaded, waiting]) expect(refusal(work, true)).toBeUndefined();
  expect(environment(loaded)).toMatch(
    /^\*\*Measured beside other work\*\*, with `--force`, at a load average of 3\.2\.\n/,
  );
  expect(environment(waiting)).toContain('processes waited for a core during 62 % of a second.');
  expect(environment(idle)).not.toContain('other work');
  expect(environment(idle)).toMatch(/\nLoad average before the measurement: 0\.4\.$/);
});
