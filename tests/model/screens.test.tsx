import { afterAll, expect, test } from 'vitest';
import { machines } from '../../machines/all.ts';
import { messageOf } from '../../model/exploration.ts';
import { transitionsOf } from '../../model/inspection.ts';
import { compare } from '../../model/steps.ts';
import { findWalks } from '../../model/walks.ts';
import { createScreensDriver, settled } from './screens-driver.tsx';

/**
 * Each transition and each ignored event, by each step that causes it, and each look of each part
 * of a screen after each step.
 */
const walks = await findWalks(({ step, look, inspection: { transitions, ignored } }) => {
  const [path, ...parts] = look;
  const looks = ['', ...parts].map((part) => `${path} ${part}`);
  return [...transitions, ...ignored, ...looks].map((item) => `${step.name}: ${item}`);
});
let completedWalks = 0;

/** Turns of the event loop, and no time, in which a screen shows what the oracle says. */
const maxTurns = 100;

const uncovered = new Set([
  ...Object.values(machines).flatMap(transitionsOf),
  ...walks.flatMap(({ edges }) => edges.flatMap(({ inspection }) => inspection.ignored)),
]);

afterAll(() => {
  // A run of selected tests, or with a failure, cannot cover everything.
  if (completedWalks === walks.length && uncovered.size > 0)
    throw new Error(`not covered:\n${[...uncovered].join('\n')}`);
});

test.each(walks.map((walk) => [walk.name, walk] as const))(
  'the rendered screens agree with the oracle: %s',
  async (_, walk) => {
    const app = await createScreensDriver();
    let comparisons = 0;
    await walk.perform(app, async (pair) => {
      let differences = await compare(pair);
      for (let turn = 0; turn < maxTurns && differences.length > 0; turn++) {
        await settled();
        differences = await compare(pair);
      }
      const steps = walk.edges.slice(0, pair.length).map(({ step }) => step.name);
      if (differences.length > 0) throw new Error(messageOf({ steps, differences }));
      comparisons++;
    });
    expect(comparisons).toBe(walk.edges.length + 1);
    const { transitions, ignored } = app.inspection();
    for (const name of [...transitions, ...ignored]) uncovered.delete(name);
    completedWalks++;
  },
);
