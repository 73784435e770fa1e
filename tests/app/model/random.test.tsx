import { cleanup, waitFor } from '@testing-library/react';
import {
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  nat,
  oneof,
  option,
  record,
} from 'fast-check';
import { expect, test, vi } from 'vitest';
import {
  callNames,
  calls,
  definitionOf,
  formNames,
  forms,
  isCausedOn,
  type Call,
} from '../../../model/calls.ts';
import type { Driver, Observation } from '../../../model/driver.ts';
import type { BackendResponse } from '../../../model/outcomes.ts';
import { screens, type Route } from '../../../model/screens.ts';
import { createOracle } from '../../../model/oracle.ts';
import { createScreensDriver } from './screens-driver.tsx';
import { longTestMs } from '../../support/time-limits.ts';

vi.setConfig({ testTimeout: longTestMs });

/** `WALKS=1000 WALK_SEED=7 npm run test:app -- random` runs longer, with another seed. */
const walks = Number(process.env['WALKS'] ?? 8);
const seed = Number(process.env['WALK_SEED'] ?? 20_260_101);

/** Few ids, so that the list often has a created project already. */
const project = record({
  id: constantFrom<string | number>('a', 'b', 3, ''),
  title: constantFrom('Website', 'مشروع', ' '),
  description: constantFrom('New pages.', '<b>bold</b>\n two'),
});

const body = oneof(
  { weight: 3, arbitrary: project },
  { weight: 3, arbitrary: array(project, { maxLength: 4 }) },
  {
    weight: 3,
    arbitrary: record({ message: constantFrom<unknown>('No.', '', ' ', null, 7, ['No.']) }),
  },
  { weight: 2, arbitrary: record({ role: constantFrom<unknown>('member', 'owner', null, {}) }) },
  constantFrom<unknown>(null, 'text', 7, {}, [null], [{ id: 'a' }], { projects: [] }),
);

const answer = oneof(
  {
    weight: 6,
    arbitrary: record({ status: constantFrom(200, 201, 200, 201, 400, 401, 409, 422, 500), body }),
  },
  constantFrom<BackendResponse>(
    { status: 200, text: '<!doctype html>' },
    { status: 502, text: 'Bad gateway' },
  ),
  constant<BackendResponse>('none'),
  constant<BackendResponse>('fault'),
);

/** A random step: the index among the possible actions, and their arguments. */
const randomStep = record({
  index: nat(1_000),
  n: nat(9),
  milliseconds: constantFrom(1, 499, 500, 59_999, 60_000),
  answer,
});

type RandomStep = typeof randomStep extends { generate: (...it: never[]) => { value: infer Value } }
  ? Value
  : never;
/** Per call: the aborted requests that have no response yet. */
type Aborted = Record<Call, number>;

type Action = { name: string; perform: (driver: Driver) => Promise<unknown> };

/** Returns every action that is possible for an app with this observation. */
function possibleActions(
  observation: Observation,
  aborted: Aborted,
  { n, milliseconds, answer: response }: RandomStep,
): Action[] {
  const action = (name: string, perform: Action['perform']): Action => ({ name, perform });
  const routes = (Object.keys(screens) as Route[]).filter(
    (route) => route !== observation.path && route !== '/',
  );
  const form = formNames.find((name) => forms[name].route === observation.path);
  const values = Object.values(form ? calls[form].input(n) : {});
  const pending = callNames.filter((call) => observation.calls[call].pending);
  const late = callNames.filter((call) => aborted[call] > 0);
  const rows = observation.list?.rows ?? [];
  const controls = callNames
    .filter((call) => isCausedOn(observation.path, call))
    .flatMap((call) => definitionOf(call).control ?? []);
  return [
    ...routes.map((route) => action(`go to ${route}`, (driver) => driver.go(route))),
    ...(form
      ? [1, 2].map(() => action(`submit ${form} ${n}`, (driver) => driver.submit(form, values)))
      : []),
    ...(form && observation.form?.values.every((value) => value !== '')
      ? [action(`submit ${form} again`, (driver) => driver.submit(form, undefined))]
      : []),
    ...controls.flatMap(({ button, place }) =>
      (place === 'row' ? [...rows.keys()] : [undefined]).map((row) =>
        action(`activate ${button} ${row ?? ''}`, (driver) => driver.activate(button, row)),
      ),
    ),
    ...[...pending, ...pending].map((call) =>
      action(`${call} is answered ${JSON.stringify(response)}`, (driver) =>
        driver.answer(call, response),
      ),
    ),
    // The app logs a fault, late or not, and the oracle does not.
    ...(response === 'fault' ? [] : late).map((call) =>
      action(`${call} is answered late ${JSON.stringify(response)}`, (driver) =>
        driver.answerLate(call, response),
      ),
    ),
    action(`${milliseconds} ms pass`, (driver) => driver.elapse(milliseconds)),
  ];
}

test('the rendered app agrees with the oracle after every step of random sequences', async () => {
  // Optional steps let fast-check shrink to the shortest failing sequence.
  const sequence = array(option(randomStep, { freq: 100 }), { minLength: 25, maxLength: 40 });
  let steps = 0;
  await assert(
    asyncProperty(sequence, async (randomSteps) => {
      cleanup();
      const [driver, oracle] = [await createScreensDriver('/'), createOracle('/')];
      const aborted = Object.fromEntries(callNames.map((call) => [call, 0])) as Aborted;
      const done: string[] = [];
      for (const step of randomSteps.filter((item) => item !== null)) {
        const before = await oracle.observe();
        const actions = possibleActions(before, aborted, step);
        const { name, perform } = actions[step.index % actions.length]!;
        done.push(name);
        await perform(oracle);
        await perform(driver);
        const after = await oracle.observe();
        countAborted(aborted, name, before, after);
        const agree = async () => expect(await driver.observe()).toEqual(after);
        try {
          await agree().catch(() => waitFor(agree));
          expect(await driver.internals?.()).toEqual(await oracle.internals?.());
        } catch (error) {
          throw new Error(`The app and the oracle differ after:\n${done.join('\n')}`, {
            cause: error,
          });
        }
        steps++;
      }
    }),
    { numRuns: walks, seed },
  );
  expect(steps).toBeGreaterThanOrEqual(walks * 20);
});

/** Counts a call as aborted when it is not pending any more, or restarted, without a response. */
function countAborted(aborted: Aborted, name: string, before: Observation, after: Observation) {
  for (const call of callNames) {
    const [old, now] = [before.calls[call], after.calls[call]];
    const isGone = old.pending && (now.pending === 0 || now.made > old.made);
    if (name.startsWith(`${call} is answered late`)) aborted[call]--;
    else if (isGone && !name.startsWith(`${call} is answered`)) aborted[call]++;
  }
}
