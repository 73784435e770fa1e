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
import { expect, test } from 'vitest';
import { fixtures, type BackendResponse, type Call } from '../../model/outcomes.ts';
import {
  forms,
  screens,
  type FormName,
  type Driver,
  type Route,
  type Observation,
} from '../../model/driver.ts';
import { createOracle } from '../../model/oracle.ts';
import { createScreensDriver } from './screens-driver.tsx';

/** `WALKS=1000 WALK_SEED=7 npx vitest run tests/model/random` walks other ways, for as long as one likes. */
const walks = Number(process.env['WALKS'] ?? 20);
const seed = Number(process.env['WALK_SEED'] ?? 20_260_101);

/** Few ids, so that a project often is in the list already. */
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
    arbitrary: record({ status: constantFrom(200, 201, 200, 201, 400, 401, 422, 500), body }),
  },
  constantFrom<BackendResponse>(
    { status: 200, text: '<!doctype html>' },
    { status: 502, text: 'Bad gateway' },
  ),
  constant<BackendResponse>('none'),
  constant<BackendResponse>('fault'),
);

/** One thing that may happen: which of those that can, and what goes with it. */
const happening = record({
  which: nat(1_000),
  n: nat(9),
  milliseconds: constantFrom(1, 499, 500, 59_999, 60_000),
  answer,
});

type Happening = typeof happening extends { generate: (...it: never[]) => { value: infer Value } }
  ? Value
  : never;
type Does = { name: string; on: (hands: Driver) => Promise<unknown> };

/** Everything that can happen to an app that looks like this. */
function possible(
  seen: Observation,
  givenUp: Record<Call, number>,
  { n, milliseconds, answer: told_ }: Happening,
): Does[] {
  const does = (name: string, on: Does['on']): Does => ({ name, on });
  const ways = (Object.keys(screens) as Route[]).filter(
    (route) => route !== seen.path && route !== '/',
  );
  const form = (Object.keys(forms) as FormName[]).find((name) => forms[name].route === seen.path);
  const values = Object.values(
    form === 'createProject' ? fixtures.newProject(n) : fixtures.credentials(n),
  );
  const pending = (Object.keys(seen.calls) as Call[]).filter((call) => seen.calls[call].pending);
  const late = (Object.keys(givenUp) as Call[]).filter((call) => givenUp[call] > 0);
  return [
    ...ways.map((route) => does(`go to ${route}`, (hands) => hands.go(route))),
    ...(form
      ? [1, 2].map(() => does(`submit ${form} ${n}`, (hands) => hands.submit(form, values)))
      : []),
    ...(form && seen.form?.values.every((value) => value !== '')
      ? [does(`submit ${form} again`, (hands) => hands.submit(form, undefined))]
      : []),
    ...[...pending, ...pending].map((call) =>
      does(`${call} is answered ${JSON.stringify(told_)}`, (hands) => hands.answer(call, told_)),
    ),
    // A fault is told to the console, late or not.
    ...(told_ === 'fault' ? [] : late).map((call) =>
      does(`${call} is answered late ${JSON.stringify(told_)}`, (hands) =>
        hands.answerLate(call, told_),
      ),
    ),
    does(`${milliseconds} ms pass`, (hands) => hands.elapse(milliseconds)),
  ];
}

test(
  'whatever happens, in whatever order, people see what the specification says',
  { timeout: 600_000 },
  async () => {
    // Steps that shrink to nothing leave the shortest sequence that fails.
    const walk = array(option(happening, { freq: 100 }), { minLength: 25, maxLength: 40 });
    let steps = 0;
    await assert(
      asyncProperty(walk, async (happenings) => {
        cleanup();
        const [driver, oracle] = [await createScreensDriver('/'), createOracle('/')];
        const givenUp: Record<Call, number> = {
          login: 0,
          registerUser: 0,
          listProjects: 0,
          createProject: 0,
        };
        const done: string[] = [];
        for (const each of happenings.filter((it) => it !== null)) {
          const before = await oracle.observe();
          const can = possible(before, givenUp, each);
          const { name, on } = can[each.which % can.length]!;
          done.push(name);
          await on(oracle);
          await on(driver);
          const after = await oracle.observe();
          countGivenUp(givenUp, name, before, after);
          const agree = async () => expect(await driver.observe()).toEqual(after);
          try {
            await agree().catch(() => waitFor(agree, { timeout: 5_000 }));
            expect(await driver.internals?.()).toEqual(await oracle.internals?.());
          } catch (error) {
            throw new Error(`It went wrong when at last:\n${done.join('\n')}`, { cause: error });
          }
          steps++;
        }
      }),
      { numRuns: walks, seed },
    );
    expect(steps).toBeGreaterThanOrEqual(walks * 20);
  },
);

/** A call that is not pending any more, or is another one now, was given up, unless it was answered. */
function countGivenUp(
  givenUp: Record<Call, number>,
  name: string,
  before: Observation,
  after: Observation,
) {
  for (const call of Object.keys(givenUp) as Call[]) {
    const [one, other] = [before.calls[call], after.calls[call]];
    const gone = one.pending && (other.pending === 0 || other.made > one.made);
    if (name.startsWith(`${call} is answered late`)) givenUp[call]--;
    else if (gone && !name.startsWith(`${call} is answered`)) givenUp[call]++;
  }
}
