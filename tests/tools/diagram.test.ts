import { expect, test } from 'vitest';
import { emit, fromPromise, not, raise, setup } from 'xstate';
import { diagram, stateTable, transitionTable, transitions } from '../../tools/diagram.ts';

const door = setup({
  actors: { ring: fromPromise(() => Promise.resolve()) },
  guards: { locked: () => true },
  actions: { greet: emit({ type: 'greeted' }), knock: raise({ type: 'open' }), listen: () => {} },
  delays: { draught: 500 },
}).createMachine({
  id: 'door',
  initial: 'closed',
  on: { reset: { target: '.closed', meta: { statements: ['DOOR-1', 'DOOR-2'] } } },
  states: {
    closed: {
      entry: 'listen',
      on: {
        open: { guard: not('locked'), target: 'opened.wide', actions: ['greet', 'knock'] },
        touch: { actions: 'listen' },
      },
      invoke: { src: 'ring', onDone: 'opened', onError: 'closed' },
    },
    opened: {
      description: 'Air comes in | out.',
      initial: 'wide',
      after: { draught: 'closed', 2000: 'closed' },
      states: { wide: { on: { push: 'ajar' } }, ajar: {} },
    },
  },
});

const lamp = setup({}).createMachine({
  id: 'lamp',
  type: 'parallel',
  states: { bulb: { initial: 'off', states: { off: {}, on: {} } }, shade: {} },
});

test('lists the transitions with guards, actions, events and statements', () => {
  const words = transitions(door).map(
    ({ from, event, guard, to, actions }) =>
      `${from}: ${event} [${guard}] ${to} / ${actions.join(', ')}`,
  );
  expect(words).toEqual([
    'door: reset [] closed / ',
    'closed: open [not(locked)] opened.wide / greet (emits greeted), knock (raises open)',
    'closed: touch [] closed / listen',
    'closed: done: ring [] opened / ',
    'closed: error: ring [] closed / ',
    'opened: after 2000 ms [] closed / ',
    'opened: after draught (500 ms) [] closed / ',
    'opened.wide: push [] opened.ajar / ',
  ]);
  expect(transitions(door)[0]?.statements).toEqual(['DOOR-1', 'DOOR-2']);
  expect(transitionTable(door).split('\n')[2]).toBe(
    '| door | reset |  | closed |  | DOOR-1, DOOR-2 |',
  );
});

test('lists the states that have a description', () => {
  expect(stateTable(door).split('\n').slice(2)).toEqual(['| opened | Air comes in \\| out. |', '']);
});

test('draws states, their activities and their transitions', () => {
  expect(diagram(door)).toBe(`stateDiagram-v2
  [*] --> door_closed
  state "closed" as door_closed
  door_closed : entry / listen
  door_closed : do / ring
  door_closed --> door_opened_wide : open [not(locked)] / greet, knock
  door_closed --> door_closed : touch / listen
  door_closed --> door_opened : done: ring
  door_closed --> door_closed : error: ring
  state "opened" as door_opened {
    [*] --> door_opened_wide
    state "wide" as door_opened_wide
    door_opened_wide --> door_opened_ajar : push
    state "ajar" as door_opened_ajar
  }
  door_opened --> door_closed : after 2000 ms
  door_opened --> door_closed : after draught (500 ms)
  state "any state" as door__any
  door__any --> door_closed : reset
`);
});

test('draws the regions of a parallel machine side by side', () => {
  expect(diagram(lamp)).toBe(`stateDiagram-v2
  state "lamp" as lamp {
    state "bulb" as lamp_bulb {
      [*] --> lamp_bulb_off
      state "off" as lamp_bulb_off
      state "on" as lamp_bulb_on
    }
    --
    state "shade" as lamp_shade
  }
`);
});
