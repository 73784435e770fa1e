/** The graph that an exploration builds: its states, and the steps between them. */
import type { AbortAwareDriver } from './driver.ts';
import type { Inspection } from './inspection.ts';
import type { Step as StepOf } from './steps.ts';

type Step = StepOf<AbortAwareDriver>;

/** A step of a state, what the machines did in it, and what the screen looked like then. */
export type Edge = { step: Step; to: State; inspection: Inspection; look: string[] };

/** A state of app and oracle. Steps are tried if it has few rows. */
export type State = {
  key: string;
  hasFewRows: boolean;
  untried: Step[];
  edges: Edge[];
  /** Returns no edges, which lead back to the state. */
  toJSON: () => string;
};

/** A state that can be reached, with the fewest steps that lead to it. */
export type Reached = { state: State; route: () => Edge[] };

type Limits = {
  /** The search ends after this many states, or a few more. */
  max?: number;
  isAllowed?: (edge: Edge) => boolean;
};

export function nearest(
  from: State,
  isWanted: (state: State) => boolean,
  limits?: Limits,
): Reached | undefined {
  for (const reached of reachable(from, limits)) if (isWanted(reached.state)) return reached;
  return undefined;
}

/** Yields the states that can be reached, nearest first. */
export function* reachable(
  from: State,
  { max = Infinity, isAllowed = () => true }: Limits = {},
): Generator<Reached, void> {
  const origins = new Map<State, { state: State; edge: Edge } | undefined>([[from, undefined]]);
  const routeTo = (state: State): Edge[] => {
    const origin = origins.get(state);
    return origin ? [...routeTo(origin.state), origin.edge] : [];
  };
  yield { state: from, route: () => [] };
  for (const state of origins.keys()) {
    if (origins.size > max) return;
    for (const edge of state.edges) {
      if (origins.has(edge.to) || !isAllowed(edge)) continue;
      origins.set(edge.to, { state, edge });
      yield { state: edge.to, route: () => routeTo(edge.to) };
    }
  }
}
