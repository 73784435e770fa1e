import {
  and,
  assertEvent,
  assign,
  createMachine,
  enqueueActions,
  fromPromise,
  raise,
  stateIn,
  type AnyStateMachine,
} from 'xstate';
import { expect, test } from 'vitest';
import { coverageItems } from '../../../model/moves.ts';
import { createPath, shortestPaths, type Model } from '../../../model/paths.ts';
import { regionsOf } from '../../../model/regions.ts';

/** Returns a machine with regions, of which `other` interacts with none. */
function machineWith(regions: object, root: object = {}): AnyStateMachine {
  const config = {
    id: 'm',
    type: 'parallel',
    context: { key: 0, second: 0 },
    states: { ...regions, other: { on: { change: {} } } },
    ...root,
  };
  return createMachine(config as never);
}

/** Returns the neighbors of each region that has one. */
function neighborsIn(machine: AnyStateMachine): Record<string, string[]> {
  const regions = regionsOf(machine).filter(({ neighbors }) => neighbors.length > 0);
  return Object.fromEntries(
    regions.map(({ states, neighbors }) => [states[0], neighbors.map((other) => other.states[0]!)]),
  );
}

const on = (transition: object) => ({ on: { event: transition } });
const guarded = (guard: unknown) => on({ guard });
const handlesPing = { on: { ping: {} } };
const writesKey = { exit: assign({ key: 1 }) };
const writesResult = { entry: assign(() => ({ key: 1 })) };
const withOne = { initial: 'one', states: { one: { id: 'one' } } };
const call = fromPromise(async () => {});
const readKey = ({ context }: { context: { key: number } }) => context.key > 0;
const copyContext = ({ context }: { context: object }) => ({ ...context });
const throwError = () => {
  throw new Error('This function needs a real event.');
};

const assertType = ({ event }: { event: { type: string } }) => assertEvent(event, 'event');

test.each<[what: string, a: object, b: object]>([
  ['handle the same event', handlesPing, handlesPing],
  ['raise an event for the other', { entry: raise({ type: 'ping' }) }, handlesPing],
  ['raise a computed event', { entry: raise(() => ({ type: 'ping' })) }, handlesPing],
  ['write the same key', writesKey, writesKey],
  ['write the keys of a result', writesKey, writesResult],
  ['read a key in a guard', writesKey, guarded(readKey)],
  ['read a key in a combined guard', writesKey, guarded(and([readKey as never]))],
  ['read a key for parameters', writesKey, on({ actions: { type: 'log', params: readKey } })],
  ['read a key for a value', writesKey, on({ actions: assign({ second: readKey as never }) })],
  ['read a key for a call', writesKey, { invoke: { src: call, input: readKey } }],
  ['copy the context', writesKey, guarded(copyContext)],
  ['throw without a real event', writesKey, guarded(throwError)],
  ['ask for the state of the other', withOne, guarded(stateIn({ a: 'one' }))],
  ['ask for a state by its path', withOne, guarded(stateIn('a.one'))],
  ['ask for a state by its id', withOne, guarded(stateIn('#one'))],
  ['change the state of the other', withOne, on({ target: '#one' })],
])('regions that %s interact', (_, a, b) => {
  expect(neighborsIn(machineWith({ a, b }))).toEqual({ 'm · a': ['m · b'], 'm · b': ['m · a'] });
});

test.each<[what: string, a: object, b: object]>([
  ['use different keys', writesKey, { exit: assign({ second: 1 }) }],
  ['handle different events', handlesPing, { on: { pong: {} } }],
  ['read no key of an asserted event', writesKey, on({ actions: assertType })],
  ['only share eventless transitions', { always: { guard: () => false } }, { always: [] }],
])('regions that %s do not interact', (_, a, b) => {
  expect(neighborsIn(machineWith({ a, b }))).toEqual({});
});

test('the root interacts with a region whose event it handles', () => {
  const machine = machineWith({ a: handlesPing }, handlesPing);
  expect(neighborsIn(machine)).toEqual({ 'm · any': ['m · a'], 'm · a': ['m · any'] });
});

test('a machine that is not parallel is one region, with the keys that it uses', () => {
  const states = { one: { on: { go: 'two' } }, two: writesKey };
  const [region, ...others] = regionsOf(
    machineWith({}, { type: 'compound', initial: 'one', states }),
  );
  expect(others).toEqual([]);
  expect(region).toEqual({
    states: ['m · any', 'm · one', 'm · two'],
    contextKeys: ['key'],
    neighbors: [],
  });
});

test('enqueueActions is rejected, because its effects are not declared', () => {
  expect(() => regionsOf(machineWith({ a: { entry: enqueueActions(() => {}) } }))).toThrow(
    'The model cannot see what enqueueActions does: use assign and raise.',
  );
});

/** `a` needs a state of `b` for its transition, which `c` follows. `d` interacts with none. */
const model: Model<AnyStateMachine, string> = {
  machine: machineWith({
    a: {
      initial: 'idle',
      states: {
        idle: {
          on: {
            go: { guard: stateIn({ b: 'on' }), target: 'busy', actions: raise({ type: 'ping' }) },
          },
        },
        busy: { on: { end: 'idle' } },
      },
    },
    b: { initial: 'off', states: { off: { on: { toggle: 'on' } }, on: { on: { toggle: 'off' } } } },
    c: {
      initial: 'calm',
      states: { calm: { on: { ping: 'busy', call: 'busy' } }, busy: { on: { rest: 'calm' } } },
    },
    d: {
      initial: 'one',
      states: {
        one: { on: { next: 'two' } },
        two: { on: { next: 'three' } },
        three: { on: { next: 'one' } },
      },
    },
  }),
  moves: Object.fromEntries(
    ['go', 'end', 'toggle', 'call', 'rest', 'next'].map((type) => [
      type,
      { isPossible: () => true, event: () => ({ type }) },
    ]),
  ),
};

/** Returns what every move covers in every state of the product of all regions. */
function itemsOfProduct({ moves }: typeof model): Set<string> {
  const items = new Set<string>();
  const explored = new Set<string>();
  const paths: string[][] = [[]];
  for (const path of paths) {
    const { steps } = createPath(model, path);
    for (const item of steps.flatMap(coverageItems(model))) items.add(item);
    const state = JSON.stringify(steps.at(-1)!.snapshot.value);
    if (explored.has(state)) continue;
    explored.add(state);
    paths.push(...Object.keys(moves).map((move) => [...path, move]));
  }
  expect(explored.size).toBe(24);
  return items;
}

test('the paths cover a transition beside one region that depends on another region', () => {
  const items = new Set(
    shortestPaths(model).flatMap(({ steps }) => steps.flatMap(coverageItems(model))),
  );
  expect(items).toEqual(itemsOfProduct(model));
});
