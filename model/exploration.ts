/**
 * Explores the composed app: every step that a user, a backend or the clock can make in every
 * state, until no new state appears. After each step it compares the app with the oracle.
 *
 * `scopes.ts` has the bounds. The result is a graph, from which `walks.ts` takes the walks on the
 * rendered screens.
 */
import { callNames, type Call } from './calls.ts';
import type { AbortAwareDriver } from './driver.ts';
import { nearest, reachable, type Edge, type State } from './graph.ts';
import type { Inspection } from './inspection.ts';
import { lookOf } from './observation.ts';
import { createOracle } from './oracle.ts';
import { scopes, stepsOf, type Scope } from './scopes.ts';
import { fieldWithMostValues, keyOf } from './state-key.ts';
import { compare, type Pair as PairOf, type Step as StepOf } from './steps.ts';

export type ExploredApp = AbortAwareDriver & {
  /** Returns what decides the next steps of the app, beyond the state of the oracle. */
  state: () => unknown;
  /** Returns what the machines did since the last call of this method. */
  inspection: () => Inspection;
};

/** A difference between the app and the specification, after the fewest steps that lead to one. */
export type Difference = { steps: string[]; differences: string[] };

/** Returns a difference as a line. */
export const messageOf = ({ steps, differences }: Difference): string =>
  `The app differs after "${steps.join('", "')}": ${differences.join('; ')}`;

export type Exploration = {
  states: number;
  transitions: number;
  /** The calls that a step has caused. */
  made: Set<Call>;
  difference: Difference | undefined;
  /** The first state of each scope, from which the others can be reached. */
  starts: State[];
};

type Pair = PairOf<ExploredApp>;
type Step = StepOf<AbortAwareDriver>;

/** A state with more rows is compared and not explored further. */
const maxRows = 2;
/** The steps of one walk. More would make its log of failures long. */
const maxWalkLength = 500;
/** The states in which a walk looks for a step that was not tried. */
const maxSearchedStates = 1_000;

/**
 * Explores the app in these scopes. Returns the first difference on a shortest sequence of steps,
 * if any. Throws an error if a scope has more than `maxStates` states: a change of the app may make
 * them endless.
 */
export async function explore(
  createApp: () => ExploredApp,
  inScopes = scopes,
  maxStates = 20_000,
): Promise<Exploration> {
  const all: Exploration = {
    states: 0,
    transitions: 0,
    made: new Set(),
    difference: undefined,
    starts: [],
  };
  for (const scope of inScopes) {
    const explorer = new Explorer(createApp, scope, maxStates, all.difference);
    await explorer.run();
    all.states += explorer.states.size;
    for (const { edges } of explorer.states.values()) all.transitions += edges.length;
    for (const call of explorer.made) all.made.add(call);
    all.difference = explorer.best;
    all.starts.push(explorer.start);
  }
  return all;
}

class Explorer {
  /** Each state has one entry, whichever steps led to it. */
  readonly states = new Map<string, State>();
  readonly made = new Set<Call>();
  /** The first of the differences on the fewest steps, in this scope and in those before. */
  best: Difference | undefined;
  readonly #createApp: () => ExploredApp;
  readonly #scope: Scope;
  readonly #steps: Step[];
  readonly #maxStates: number;
  readonly start: State;

  constructor(
    createApp: () => ExploredApp,
    scope: Scope,
    maxStates: number,
    best: Difference | undefined,
  ) {
    this.best = best;
    this.#createApp = createApp;
    this.#scope = scope;
    this.#steps = stepsOf(scope);
    this.#maxStates = maxStates;
    this.start = this.#stateOf(this.#createPair());
  }

  /** After a difference, only the steps that may lead to one sooner are tried. */
  async run(): Promise<void> {
    for (let frontier = this.#frontier(); frontier.length > 0; frontier = this.#frontier()) {
      for (const { state, route } of frontier) {
        while (state.untried.length > 0 && this.#mayImprove(route)) {
          const pair = this.#createPair();
          await this.#follow(pair, route, state);
          await (this.best ? this.#tryStep(pair, state) : this.#walk(pair, state));
        }
      }
    }
  }

  /** Returns the known states with a step to try, nearest first, with the fewest steps to each. */
  #frontier(): { state: State; route: Edge[] }[] {
    return [...reachable(this.start)]
      .filter(({ state }) => hasUntried(state))
      .map(({ state, route }) => ({ state, route: route() }))
      .filter(({ route }) => this.#mayImprove(route));
  }

  /** Returns whether a difference after this route and one more step is better than the best. */
  #mayImprove({ length }: Edge[]): boolean {
    return !this.best || length + 1 < this.best.steps.length;
  }

  #createPair(): Pair {
    return { app: this.#createApp(), oracle: createOracle('/'), length: 0 };
  }

  #keyOf({ app, oracle }: Pair): string {
    const { calls, isLate } = this.#scope;
    const aborted = app.abortedCalls().filter((call) => isLate && calls.includes(call));
    return keyOf({ oracle: oracle.state(), app: app.state(), aborted });
  }

  #stateOf(pair: Pair): State {
    const key = this.#keyOf(pair);
    const visited = this.states.get(key);
    if (visited) return visited;
    if (this.states.size === this.#maxStates) throw this.#tooManyStates();
    const [oracleState, abortedCalls] = [pair.oracle.state(), pair.app.abortedCalls()];
    for (const call of callNames) if (oracleState.calls[call].made > 0) this.made.add(call);
    const hasFewRows = oracleState.projects.length <= maxRows;
    const state: State = {
      key,
      hasFewRows,
      untried: this.#steps.filter(
        ({ isPossible }) => hasFewRows && isPossible(oracleState, abortedCalls),
      ),
      edges: [],
      toJSON: () => key,
    };
    this.states.set(key, state);
    return state;
  }

  /** Performs steps that are known to lead to a state. */
  async #follow(pair: Pair, route: Edge[], to: State): Promise<void> {
    for (const { step } of route) await step.perform(pair, ++pair.length);
    const key = this.#keyOf(pair);
    if (key === to.key) return;
    throw new Error(
      `The same steps led to two states, so the key of a state lacks something.\n${to.key}\n${key}`,
    );
  }

  /** Tries a step of a state. Returns the state after it, or undefined if app and oracle differ. */
  async #tryStep(pair: Pair, state: State): Promise<State | undefined> {
    const step = state.untried.pop()!;
    pair.app.inspection();
    const differences = await performAndCompare(pair, step);
    if (differences.length === 0) {
      const to = this.#stateOf(pair);
      const look = lookOf(pair.oracle.screen());
      state.edges.push({ step, to, inspection: pair.app.inspection(), look });
      return to;
    }
    // Tried again when a shorter route to the state is known.
    state.untried.push(step);
    const route = nearest(this.start, (other) => other === state)!.route();
    if (!this.#mayImprove(route)) return undefined;
    const again = this.#createPair();
    await this.#follow(again, route, state);
    const found = await performAndCompare(again, step);
    const unclear = ['These steps alone lead to no difference, but a longer walk to one:'];
    this.best = {
      steps: [...route.map((edge) => edge.step), step].map(({ name }) => name),
      differences: found.length > 0 ? found : [...unclear, ...differences],
    };
    return undefined;
  }

  /** Goes on from a state as long as it, or a state near it, has a step that was not tried. */
  async #walk(pair: Pair, from: State): Promise<void> {
    let state = from;
    for (let length = 0; length < maxWalkLength; length++) {
      const near = nearest(state, hasUntried, { max: maxSearchedStates });
      if (!near) return;
      if (near.state !== state) await this.#follow(pair, near.route(), near.state);
      const next = await this.#tryStep(pair, near.state);
      if (!next?.hasFewRows) return;
      state = next;
    }
  }

  #tooManyStates(): Error {
    const { name, size } = fieldWithMostValues([...this.states.keys()]);
    return new Error(
      `With ${this.#scope.calls.join(', ')} the app has more than ${this.#maxStates} states. The field "${name}" has the most values: ${size}. If it decides no later step, add it to \`ignoredInKey\` in model/state-key.ts. Otherwise bound it in the machine and the oracle.`,
    );
  }
}

const hasUntried = ({ untried }: State) => untried.length > 0;

/** Performs a step. Returns what is different in the app and in the specification afterwards. */
async function performAndCompare(pair: Pair, step: Step): Promise<string[]> {
  try {
    await step.perform(pair, ++pair.length);
  } catch (error) {
    return [`The app throws ${String(error)}`];
  }
  return compare(pair);
}
