import { expect, onTestFinished, test } from 'vitest';
import { checkJourney, checkWalk } from '../journeys/journey.ts';
import { arrival, type PersonSteps } from '../journeys/steps.ts';
import { createFixtures, createRunId } from '../people/fixtures.ts';
import { createRunContext } from '../people/run-context.ts';
import { exemplary, startBackend } from './backends/backend.ts';
import { TestClock } from './backends/test-clock.ts';

/** Returns a person of a new run who has a project, and the run. */
async function arrive() {
  const fixtures = createFixtures(1, createRunId());
  const clock = new TestClock();
  const { origin, stop } = await startBackend(clock, exemplary);
  onTestFinished(stop);
  const context = createRunContext(origin, fixtures, { clock });
  return { context, journey: await checkJourney(context, Object.keys(arrival)) };
}

test('a walk takes each three steps one after another', async () => {
  const names: string[] = [];
  const step = (name: string) => ({
    isPossible: () => true,
    async perform() {
      names.push(name);
      return undefined;
    },
  });
  const steps = { waits: step('waits'), looks: step('looks'), sleeps: step('sleeps') };
  const { context, journey } = await arrive();
  await checkWalk(context, journey, { steps, maxSteps: 40 });
  const triples = names.slice(2).map((name, index) => [names[index], names[index + 1], name]);
  expect(new Set(triples.map(String)).size).toBe(27);
});

test('a fault that new people do not see is not reported', async () => {
  let count = 0;
  const steps: PersonSteps = {
    'sees a coincidence': {
      isPossible: () => true,
      perform: async () => (++count === 3 ? { kind: 'once', words: 'seen once' } : undefined),
    },
  };
  const { context, journey } = await arrive();
  await expect(checkWalk(context, journey, { steps, maxSteps: 10 })).rejects.toThrow(
    'seen once and not when new people repeated the steps: seen once',
  );
});

test('a fault is reported with the fewest steps that show it', async () => {
  const counts = new Map<object, number>();
  const waits = { isPossible: () => true, perform: () => Promise.resolve(undefined) };
  const steps: PersonSteps = {
    waits,
    'waits longer': waits,
    'presses the button': {
      isPossible: () => true,
      async perform(person) {
        counts.set(person, (counts.get(person) ?? 0) + 1);
        return counts.get(person) === 2 ? { kind: 'twice', words: 'it is too much' } : undefined;
      },
    },
  };
  const { context, journey } = await arrive();
  await expect(checkWalk(context, journey, { steps, maxSteps: 50 })).rejects.toMatchObject({
    problems: [
      {
        description: 'It is too much.',
        detail:
          'Steps of the person: registers; signs in; creates a project; presses the button; presses the button.',
      },
    ],
  });
});
