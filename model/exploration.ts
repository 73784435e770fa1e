/**
 * Explores the composed app: every step that a user, a backend or the clock can make in every
 * state, until no new state appears. After each step it compares the app with the oracle.
 *
 * It does so scope by scope: every three calls, every two while time passes and aborted calls are
 * answered, every two with a text that is typed and not submitted, and a form whose fields change
 * one at a time. So each added call adds scopes, and does not multiply the states.
 * - In a scope, only its calls are submitted and answered, and only on their screens. Another call
 *   that a screen makes stays pending.
 * - The app compares texts and does not read them. So two fields that both have "Title 1" are the
 *   same state as two that both have "Title 7". "Title 1" and "Title 2" are another state.
 * - A state with more than two rows is compared and not explored further.
 * - Of the aborted calls, only the last of each can still be answered.
 * - Time passes where a fetched call is one of two, because only what a screen fetches expires: to
 *   one millisecond before that, to that moment, and on after it. Otherwise the timers of two
 *   screens would multiply the states.
 * - A screen without a call is visited only while time passes. To the app it is like any other.
 */
import {
  callNames,
  definitionOf,
  isFetched,
  addressOfCall,
  fetchesOnOpen,
  type Call,
  type FetchedCall,
  type ResultName,
} from './calls.ts';
import type { AbortAwareDriver } from './driver.ts';
import { createOracle } from './oracle.ts';
import { resultEvent } from './results.ts';
import { fieldWithMostValues, keyOf } from './state-key.ts';
import * as steps from './steps.ts';

/** The app under exploration. */
export type ExploredApp = AbortAwareDriver & {
  /** Returns what decides the next steps of the app, beyond the state of the oracle. */
  state: () => unknown;
};

/** A difference between the app and the specification, after the fewest steps that lead to one. */
export type Difference = { steps: string[]; differences: string[] };

export type Exploration = {
  states: number;
  transitions: number;
  /** The calls that a step has caused. */
  made: Set<Call>;
  difference: Difference | undefined;
};

type Pair = steps.Pair<ExploredApp>;
type Step = steps.Step<AbortAwareDriver>;

/** Returns the results of a call without those that differ from another in a text only. */
function distinctResults(call: Call): ResultName[] {
  const results = Object.keys(definitionOf(call).results) as ResultName[];
  const rows = [{ id: 'first', title: '', description: '' }];
  const eventOf = (result: ResultName) =>
    JSON.stringify(resultEvent(call, result, 1, rows), (key, value: unknown) =>
      key === 'message' ? '' : value,
    );
  return [...new Map(results.toReversed().map((result) => [eventOf(result), result])).values()];
}

/** The lifetimes of unused data: from the moment its screen is closed, or it arrives later. */
const { keepUnusedData, subscriptionBatching } = steps.delays;
const lifetimesMs = [subscriptionBatching + keepUnusedData, keepUnusedData];

/** Returns the steps in which time passes for what a call has fetched. */
function elapsesOf(call: FetchedCall): Step[] {
  const elapse = (whenMs: number | undefined, milliseconds: number): Step => ({
    ...steps.elapse(milliseconds),
    isPossible: ({ expiresInMs: { [call]: remainingMs, ...others } }) =>
      remainingMs === whenMs && Object.values(others).every((otherMs) => !otherMs),
  });
  return [
    ...lifetimesMs.map((lifetimeMs) => elapse(lifetimeMs, lifetimeMs - 1)),
    elapse(1, 1),
    ...[0, undefined].map((whenMs) => elapse(whenMs, lifetimesMs[0]!)),
  ];
}

/** The calls that are made and answered, and what else happens: time, aborted calls, or texts. */
export type Scope = { calls: Call[]; isLate?: boolean; isFilled?: boolean; isEdited?: boolean };

/** Returns every choice of `count` calls, in the order of the contract. */
const choices = (count: number, from = callNames): Call[][] =>
  count === 0
    ? [[]]
    : from.flatMap((call, index) =>
        choices(count - 1, from.slice(index + 1)).map((others) => [call, ...others]),
      );

const addressesOf = (calls: Call[]) => [...new Set(calls.map(addressOfCall))];

export const scopes: Scope[] = [
  ...choices(2).map((calls) => ({ calls, isLate: true })),
  ...choices(2)
    .filter((calls) => calls.flatMap(steps.stepsFilling).length > 0)
    .map((calls) => ({ calls, isFilled: true })),
  ...choices(1)
    .filter((calls) => calls.flatMap(steps.stepsEditing).length > 0)
    .map((calls) => ({ calls, isEdited: true })),
  ...choices(3)
    .filter((calls) => addressesOf(calls).filter(fetchesOnOpen).length < 2)
    .map((calls) => ({ calls })),
];

/** Returns the steps of a scope. */
export function stepsOf({ calls, isLate, isFilled, isEdited }: Scope): Step[] {
  const late = isLate ? calls : [];
  return [
    ...late.filter(isFetched).flatMap((call) => [...elapsesOf(call), steps.goTo('/about')]),
    ...calls.flatMap((call) => distinctResults(call).map((result) => steps.end(call, result))),
    ...late.flatMap((call) => [
      steps.endAborted(call, 'success'),
      steps.endAborted(call, 'refusal'),
    ]),
    ...addressesOf(calls).map(steps.goTo),
    ...calls.flatMap(steps.stepsCausing),
    ...(isFilled ? calls.flatMap(steps.stepsFilling) : []),
    ...(isEdited ? calls.flatMap(steps.stepsEditing) : []),
  ];
}

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
  const all: Exploration = { states: 0, transitions: 0, made: new Set(), difference: undefined };
  for (const scope of inScopes) {
    const explorer = new Explorer(createApp, scope, maxStates, all.difference);
    // oxlint-disable-next-line no-await-in-loop
    await explorer.run();
    all.states += explorer.states.size;
    for (const { next } of explorer.states.values()) all.transitions += next.size;
    for (const call of explorer.made) all.made.add(call);
    all.difference = explorer.best;
  }
  return all;
}

/** A state of app and oracle. Steps are tried if it has few rows. */
type State = {
  key: string;
  hasFewRows: boolean;
  untried: Step[];
  next: Map<Step, State>;
};

type Path = Step[];

/** Explores one scope. */
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
  readonly #start: State;

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
    this.#start = this.#stateOf(this.#createPair());
  }

  /** After a difference, only the steps that may lead to one sooner are tried. */
  async run(): Promise<void> {
    for (let frontier = this.#frontier(); frontier.length > 0; frontier = this.#frontier()) {
      for (const { state, route } of frontier) {
        while (state.untried.length > 0 && this.#mayImprove(route)) {
          const pair = this.#createPair();
          // oxlint-disable-next-line no-await-in-loop
          await this.#follow(pair, route, state);
          // oxlint-disable-next-line no-await-in-loop
          await (this.best ? this.#tryStep(pair, state) : this.#walk(pair, state));
        }
      }
    }
  }

  /** Returns the known states with a step to try, nearest first, with the fewest steps to each. */
  #frontier(): { state: State; route: Path }[] {
    return [...reachable(this.#start)]
      .filter(({ state }) => hasUntried(state))
      .map(({ state, route }) => ({ state, route: route() }))
      .filter(({ route }) => this.#mayImprove(route));
  }

  /** Returns whether a difference after this route and one more step is better than the best. */
  #mayImprove({ length }: Path): boolean {
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
      next: new Map(),
    };
    this.states.set(key, state);
    return state;
  }

  /** Performs steps that are known to lead to a state. */
  async #follow(pair: Pair, route: Path, to: State): Promise<void> {
    // oxlint-disable-next-line no-await-in-loop
    for (const step of route) await step.perform(pair, ++pair.length);
    const key = this.#keyOf(pair);
    if (key === to.key) return;
    throw new Error(
      `The same steps led to two states, so the key of a state lacks something.\n${to.key}\n${key}`,
    );
  }

  /** Tries a step of a state. Returns the state after it, or undefined if app and oracle differ. */
  async #tryStep(pair: Pair, state: State): Promise<State | undefined> {
    const step = state.untried.pop()!;
    const differences = await performAndCompare(pair, step);
    if (differences.length === 0) {
      const next = this.#stateOf(pair);
      state.next.set(step, next);
      return next;
    }
    // Tried again when a shorter route to the state is known.
    state.untried.push(step);
    const route = nearest(this.#start, (other) => other === state)!.route();
    if (!this.#mayImprove(route)) return undefined;
    const again = this.#createPair();
    await this.#follow(again, route, state);
    const found = await performAndCompare(again, step);
    const unclear = ['These steps alone lead to no difference, but a longer walk to one:'];
    this.best = {
      steps: [...route, step].map(({ name }) => name),
      differences: found.length > 0 ? found : [...unclear, ...differences],
    };
    return undefined;
  }

  /** Goes on from a state as long as it, or a state near it, has a step that was not tried. */
  async #walk(pair: Pair, from: State): Promise<void> {
    let state = from;
    for (let length = 0; length < maxWalkLength; length++) {
      const near = nearest(state, hasUntried, maxSearchedStates);
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

/** Returns the nearest state that is wanted, among `max` states or a few more. */
function nearest(from: State, isWanted: (state: State) => boolean, max?: number) {
  for (const reached of reachable(from, max)) if (isWanted(reached.state)) return reached;
  return undefined;
}

/** Yields the states that can be reached, nearest first, with the fewest steps to each. */
function* reachable(
  from: State,
  max = Infinity,
): Generator<{ state: State; route: () => Path }, void> {
  const origins = new Map<State, { state: State; step: Step } | undefined>([[from, undefined]]);
  const routeTo = (state: State): Step[] => {
    const origin = origins.get(state);
    return origin ? [...routeTo(origin.state), origin.step] : [];
  };
  yield { state: from, route: () => [] };
  for (const state of origins.keys()) {
    if (origins.size > max) return;
    for (const [step, next] of state.next) {
      if (origins.has(next)) continue;
      origins.set(next, { state, step });
      yield { state: next, route: () => routeTo(next) };
    }
  }
}

/** Performs a step. Returns what is different in the app and in the specification afterwards. */
async function performAndCompare(pair: Pair, step: Step): Promise<string[]> {
  try {
    await step.perform(pair, ++pair.length);
  } catch (error) {
    return [`The app throws ${String(error)}`];
  }
  return steps.compare(pair);
}
