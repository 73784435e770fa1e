import { afterAll, expect, test } from 'vitest';
import { createExploredApp } from '../../model/explored-app.ts';
import { explore, messageOf } from '../../model/exploration.ts';
import { reachable } from '../../model/graph.ts';
import { scopes, stepsOf } from '../../model/scopes.ts';

const total = { states: 0, transitions: 0 };
afterAll(() =>
  console.log(`Explored ${total.states} states and ${total.transitions} transitions.`),
);

const named = scopes.map((scope) => {
  const text = scope.isFilled ? ', with a text' : scope.isEdited ? ', field by field' : '';
  const also = scope.isLate ? ', answered late' : text;
  return [scope.calls.join(', ') + also, scope] as const;
});

test.each(named)(
  'the app agrees with the oracle in every state of %s [ENTITY-2, ENTITY-5, AUTH-1, AUTH-2, AUTH-4, AUTH-6, CHOICE-9, CHOICE-33]',
  async (_, scope) => {
    const { starts, made, difference, ...counts } = await explore(createExploredApp, [scope]);
    total.states += counts.states;
    total.transitions += counts.transitions;
    if (difference) throw new Error(messageOf(difference));
    const states = starts.flatMap((start) => [...reachable(start)]).map(({ state }) => state);
    const taken = new Set(states.flatMap(({ edges }) => edges.map(({ step }) => step.name)));
    // Not each call of a late scope can be aborted in it.
    const steps = scope.isLate ? [] : stepsOf(scope).map(({ name }) => name);
    expect(steps.filter((name) => !taken.has(name))).toEqual([]);
    expect(
      scope.calls.filter((call) => !made.has(call)),
      'not in `stepsCausing`',
    ).toEqual([]);
  },
);
