/**
 * Takes walks from the graph of the exploration, and performs them on an app with screens. Only
 * this file knows `@xstate/test`: its `TestModel` gets the graph as logic, and performs paths
 * through it. The paths of its own generators would take each state once, and not each step.
 */
import { TestModel } from '@xstate/test';
import { fromTransition, type EventObject, type SnapshotFrom } from 'xstate';
import type { AbortAwareDriver, Driver } from './driver.ts';
import { explore, messageOf } from './exploration.ts';
import { createExploredApp } from './explored-app.ts';
import { nearest, type Edge, type State } from './graph.ts';
import { createOracle } from './oracle.ts';
import { scopesOfWalks } from './scopes.ts';
import type { Pair } from './steps.ts';

export type Walk = {
  /** The names of its steps. */
  name: string;
  edges: Edge[];
  /** Performs the steps on an app that was started on `/`. Calls `check` at first and after each. */
  perform: (app: Driver, check: (pair: Pair) => Promise<void>) => Promise<void>;
};

/** The steps of a walk, unless the way to one is longer. A failure names them all. */
const maxLength = 12;

/**
 * Explores the app without screens. Returns walks that together have every item that `itemsOf` finds
 * on an edge of the graph. Throws the difference if that app differs from the oracle.
 */
export async function findWalks(
  itemsOf: (edge: Edge) => string[],
  isAllowed: (edge: Edge) => boolean = () => true,
): Promise<Walk[]> {
  const { starts, difference } = await explore(createExploredApp, scopesOfWalks);
  if (difference) throw new Error(messageOf(difference));
  const covered = new Set<string>();
  const isNew = (edge: Edge) => isAllowed(edge) && itemsOf(edge).some((item) => !covered.has(item));

  /** Returns the fewest edges that lead to an item that is not covered. */
  function nextEdges(from: State): Edge[] {
    const near = nearest(from, ({ edges }) => edges.some(isNew), { isAllowed });
    return near ? [...near.route(), near.state.edges.find(isNew)!] : [];
  }

  function takeWalk(start: State): Edge[] {
    const walk: Edge[] = [];
    for (let next = nextEdges(start); next.length > 0; next = nextEdges(walk.at(-1)!.to)) {
      if (walk.length > 0 && walk.length + next.length > maxLength) break;
      for (const item of next.flatMap(itemsOf)) covered.add(item);
      walk.push(...next);
    }
    return walk;
  }

  return starts.flatMap((start) => {
    const walks: Edge[][] = [];
    for (let walk = takeWalk(start); walk.length > 0; walk = takeWalk(start)) walks.push(walk);
    return performable(start, walks);
  });
}

type StepEvent = EventObject & { edge?: Edge };

/** Returns walks through the graph of a scope that `@xstate/test` performs. */
function performable(start: State, walks: Edge[][]): Walk[] {
  const graph = fromTransition((state: State, { edge }: StepEvent) => edge?.to ?? state, start);
  type Snapshot = SnapshotFrom<typeof graph>;
  const model = new TestModel<Snapshot, StepEvent, unknown>(graph as never, {
    serializeState: (_, event) => event?.edge?.look.join(' · ') ?? '/',
    serializeEvent: ({ type }) => type,
  });
  const paths = model.getPaths(({ getInitialSnapshot, transition }) =>
    walks.map((edges) => {
      let state = getInitialSnapshot(undefined as never, undefined);
      const steps = [{ state, event: { type: 'start' } as StepEvent }];
      for (const edge of edges) {
        const event = { type: edge.step.name, edge };
        state = transition(state, event, undefined as never);
        steps.push({ state, event });
      }
      return { state, steps, weight: edges.length };
    }),
  );
  return paths.map(({ steps, test }): Walk => {
    const edges = steps.flatMap(({ event: { edge } }) => edge ?? []);
    return {
      name: edges.map(({ step }) => step.name).join(', '),
      edges,
      async perform(app, check) {
        // No step of `scopesOfWalks` answers an aborted call.
        const pair = { app: app as AbortAwareDriver, oracle: createOracle('/'), length: 0 };
        const perform = ({ event: { edge } }: { event: StepEvent }) =>
          edge!.step.perform(pair, ++pair.length);
        await test({
          events: Object.fromEntries(edges.map(({ step }) => [step.name, perform])),
          states: { '*': () => check(pair) },
        });
      },
    };
  });
}
