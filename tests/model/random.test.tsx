import { cleanup, waitFor } from '@testing-library/react';
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { callNames, formNames, type Call } from '../../model/calls.ts';
import type { AbortAwareDriver } from '../../model/driver.ts';
import { stepsOf } from '../../model/exploration.ts';
import { createOracle } from '../../model/oracle.ts';
import { compare, fill, type Pair, type Step } from '../../model/steps.ts';
import { createScreensDriver } from './screens-driver.tsx';
import { longTestMs } from '../support/time-limits.ts';

vi.setConfig({ testTimeout: longTestMs });

/** `WALKS=1000 WALK_SEED=7 npm run test:app -- random` runs longer, with another seed: 1,000 walks per call. */
const walks = Number(process.env['WALKS'] ?? 6);
const seed = Number(process.env['WALK_SEED'] ?? 20_260_101);

/** Bodies that the steps of the exploration have not. Few ids, so that lists have some twice. */
const project = fc.record({
  id: fc.constantFrom<string | number>('a', 'b', 3, ''),
  title: fc.constantFrom('Website', 'مشروع', ' '),
  description: fc.constantFrom('New pages.', '<b>bold</b>\n two'),
});
const body = fc.oneof(
  project,
  fc.array(project, { maxLength: 4 }),
  fc.record({ message: fc.constantFrom<unknown>('No.', '', ' ', null, 7, ['No.']) }),
  fc.record({ role: fc.constantFrom<unknown>('member', null, {}) }),
  fc.constantFrom<unknown>(null, 'text', 7, {}, [null], [{ id: 'a' }], { projects: [] }),
);
const oddAnswer = fc
  .record({
    call: fc.constantFrom(...callNames),
    status: fc.constantFrom(200, 201, 400, 401, 409, 422, 500),
    body,
  })
  .map(({ call, ...response }): Step<AbortAwareDriver> => ({
    name: `${call} is answered ${JSON.stringify(response)}`,
    isPossible: ({ calls }) => calls[call].pending > 0,
    async perform({ app, oracle }) {
      await oracle.answer(call, response);
      await app.answer(call, response);
    },
  }));

let performedSteps = 0;
const toCommand = ({ name, isPossible, perform }: Step<AbortAwareDriver>) => ({
  toString: () => name,
  check: ({ app, oracle }: Pair<AbortAwareDriver>) =>
    isPossible(oracle.state(), app.abortedCalls()),
  async run(pair: Pair<AbortAwareDriver>) {
    await perform(pair, ++pair.length);
    await waitFor(async () => expect(await compare(pair)).toEqual([]));
    performedSteps++;
  },
});

const stepsWith = (calls: Call[]) => stepsOf({ calls, isLate: true, isFilled: true });
const step = fc.constantFrom(...stepsWith(callNames), ...formNames.map(fill));

test.each(callNames)(
  'the rendered app agrees with the oracle after each random step, many of them of %s',
  async (call) => {
    performedSteps = 0;
    const steps = fc.oneof(fc.constantFrom(...stepsWith([call])), step, oddAnswer).map(toCommand);
    const commands = fc.commands([steps], { maxCommands: 1_000, size: 'max' });
    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        cleanup();
        localStorage.clear();
        const pair = { app: await createScreensDriver(), oracle: createOracle('/'), length: 0 };
        await fc.asyncModelRun(() => ({ model: pair, real: pair }), sequence);
      }),
      { numRuns: walks, seed },
    );
    expect(performedSteps).toBeGreaterThanOrEqual(walks * 20);
  },
);
