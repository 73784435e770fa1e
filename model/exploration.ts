/**
 * Explores the composed app: every step that a user, a backend or the clock can make in every
 * state, until no new state appears. After each step it compares the app with the oracle.
 *
 * It explores three things at once: every three calls, and every two calls with the response to
 * one that was aborted. So each added call adds scopes, and does not multiply the states.
 * - In a scope, only its calls are submitted and answered, and only on their screens. Another call
 *   that a screen makes stays pending.
 * - Texts count by which of them are equal, because the app compares texts and does not read them.
 * - A state with more than two rows is compared and not explored further.
 * - Of the aborted calls, only the last can still be answered.
 * - Time passes where a call without a form is in the scope, because only what a screen fetches
 *   expires: to one millisecond before that, to that moment, and on after it.
 * - A screen without a call is the start and not visited again: to the app it is like any other.
 */
import { isDeepStrictEqual } from 'node:util';
import { callNames, definitionOf, type ResultName, type Call } from './calls.ts';
import type { LateDriver } from './driver.ts';
import { createOracle } from './oracle.ts';
import { isRecord } from './observation.ts';
import { resultEvent } from './results.ts';
import * as steps from './steps.ts';

/** The app under exploration. */
export type ExploredApp = LateDriver & {
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
type Step = steps.Step<LateDriver>;

/** A state of app and oracle. Steps are tried if it has few rows. */
type State = { key: string; hasFewRows: boolean; untried: Step[]; next: Map<Step, State> };

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

const elapse = (expiresInMs: number | undefined, milliseconds: number): Step => ({
  ...steps.elapse(milliseconds),
  isPossible: (state) => state.expiresInMs === expiresInMs,
});

/** The lifetimes of unused data: from the moment its screen is closed, or it arrives later. */
const { keepUnusedData: shortMs, subscriptionBatching } = steps.delays;
const lifetimesMs = [shortMs + subscriptionBatching, shortMs];
const elapses = [
  ...lifetimesMs.map((lifetimeMs) => elapse(lifetimeMs, lifetimeMs - 1)),
  elapse(1, 1),
  ...[0, undefined].map((expiresInMs) => elapse(expiresInMs, lifetimesMs[0]!)),
];

type Scope = {
  /** The calls that are made and answered. */
  calls: Call[];
  /** Those that are also answered after an abort. Default: none. */
  answeredLate?: Call[];
  /** Those whose form is also filled and not submitted. Default: none. */
  filled?: Call[];
};

/** Returns every choice of `count` calls, in the order of the contract. */
const choices = (count: number, from = callNames): Call[][] =>
  count === 0
    ? [[]]
    : from.flatMap((call, index) =>
        choices(count - 1, from.slice(index + 1)).map((others) => [call, ...others]),
      );

const scopes: Scope[] = [
  ...choices(2).map((calls) => ({ calls, answeredLate: calls })),
  ...choices(2).map((calls) => ({ calls, filled: calls })),
  ...choices(3).map((calls) => ({ calls })),
];

/** Returns the steps of a scope. */
export function stepsOf({ calls, answeredLate = [], filled = [] }: Scope): Step[] {
  const routes = calls.map((call) => definitionOf(call).form?.route ?? definitionOf(call).route!);
  return [
    ...(calls.some((call) => !definitionOf(call).form) ? elapses : []),
    ...calls.flatMap((call) => distinctResults(call).map((result) => steps.end(call, result))),
    ...answeredLate.flatMap((call) => [
      steps.endAborted(call, 'success'),
      steps.endAborted(call, 'refusal'),
    ]),
    ...[...new Set(routes)].map(steps.goTo),
    ...calls.flatMap(steps.stepsCausing),
    ...filled.flatMap(steps.stepsFilling),
  ];
}

/** A state with more rows is compared and not explored further. */
const maxRows = 2;
/** The steps of one walk. More would make its log of failures long. */
const maxWalkLength = 500;
/** The states in which a walk looks for a step that was not tried. */
const maxSearchedStates = 1_000;

/**
 * Explores the app in every scope. Returns the first difference on a shortest sequence of steps,
 * if any. Throws an error if a scope has more than `maxStates` states: a change of the app may make
 * them endless.
 */
export async function explore(
  createApp: () => ExploredApp,
  maxStates = 20_000,
): Promise<Exploration> {
  const all: Exploration = { states: 0, transitions: 0, made: new Set(), difference: undefined };
  for (const scope of scopes) {
    // oxlint-disable-next-line no-await-in-loop
    const found = await exploreScope(createApp, scope, all.difference, maxStates);
    all.states += found.states;
    all.transitions += found.transitions;
    for (const call of found.made) all.made.add(call);
    all.difference = found.difference;
  }
  return all;
}

/** Explores a scope. Returns the difference that is known, unless it finds one on fewer steps. */
async function exploreScope(
  createApp: () => ExploredApp,
  scope: Scope,
  known: Difference | undefined,
  maxStates: number,
): Promise<Exploration> {
  const allSteps = stepsOf(scope);
  const states = new Map<string, State>();
  const made = new Set<Call>();
  let difference = known;

  /** Returns whether a difference after this route and one more step is the first on fewest. */
  const isShorter = ({ length }: Step[]) => !difference || length + 1 < difference.steps.length;
  const createPair = (): Pair => ({ app: createApp(), oracle: createOracle('/'), length: 0 });
  const start = stateOf(createPair());

  function stateOf(pair: Pair): State {
    const key = keyOf(pair, scope);
    const visited = states.get(key);
    if (visited) return visited;
    if (states.size === maxStates) throw tooManyStates(scope, [...states.keys()]);
    const [oracleState, abortedCall] = [pair.oracle.state(), pair.app.abortedCall()];
    for (const call of callNames) if (oracleState.calls[call].made > 0) made.add(call);
    const hasFewRows = oracleState.projects.length <= maxRows;
    const untried = allSteps.filter(
      ({ isPossible }) => hasFewRows && isPossible(oracleState, abortedCall),
    );
    const state = { key, hasFewRows, untried, next: new Map() };
    states.set(key, state);
    return state;
  }

  /** Performs steps that are known to lead to a state. */
  async function follow(pair: Pair, route: Step[], to: State) {
    // oxlint-disable-next-line no-await-in-loop
    for (const step of route) await step.perform(pair, ++pair.length);
    const key = keyOf(pair, scope);
    if (key === to.key) return;
    throw new Error(
      `The same steps led to two states, so the key of a state lacks something.\n${to.key}\n${key}`,
    );
  }

  /** Tries a step of a state. Returns the state after it, or undefined if app and oracle differ. */
  async function tryStep(pair: Pair, state: State, step: Step): Promise<State | undefined> {
    state.untried.splice(state.untried.indexOf(step), 1);
    const differences = await performAndCompare(pair, step);
    if (differences.length > 0) {
      // Tried again when a shorter route to the state is known.
      state.untried.push(step);
      const route = nearest(start, (other) => other === state)!.route();
      if (isShorter(route)) {
        const again = createPair();
        await follow(again, route, state);
        const found = await performAndCompare(again, step);
        const unclear = ['These steps alone lead to no difference, but a longer walk to one:'];
        difference = {
          steps: [...route, step].map(({ name }) => name),
          differences: found.length > 0 ? found : [...unclear, ...differences],
        };
      }
      return undefined;
    }
    const next = stateOf(pair);
    state.next.set(step, next);
    return next;
  }

  /** Goes on from a state as long as it, or a state near it, has a step that was not tried. */
  async function walk(pair: Pair, from: State) {
    let state: State | undefined = from;
    for (let length = 0; state && length < maxWalkLength; length++) {
      const near = nearest(state, hasUntried, maxSearchedStates);
      if (!near) return;
      const target = near.state;
      if (target !== state) await follow(pair, near.route(), target);
      state = await tryStep(pair, target, target.untried.at(-1)!);
      if (state && !state.hasFewRows) state = await comeBack(pair);
    }
  }

  /** Ends calls until the state is known and within the bounds. Saves a walk from the start. */
  async function comeBack(pair: Pair): Promise<State | undefined> {
    for (const call of callNames) {
      if (pair.oracle.state().calls[call].pending === 0) continue;
      const end = steps.end(call, call === 'listProjects' ? 'empty' : 'refusal');
      // oxlint-disable-next-line no-await-in-loop
      await end.perform(pair, ++pair.length);
      const state = states.get(keyOf(pair, scope));
      if (state?.hasFewRows) return state;
    }
    return undefined;
  }

  // After a difference, only the steps that may lead to one sooner are tried.
  for (;;) {
    const targets = [...reachable(start)]
      .filter(({ state }) => hasUntried(state))
      .map(({ state, route }) => ({ target: state, route: route() }))
      .filter(({ route }) => isShorter(route));
    if (targets.length === 0) break;
    for (const { target, route } of targets) {
      while (target.untried.length > 0 && isShorter(route)) {
        const pair = createPair();
        await follow(pair, route, target);
        if (difference) await tryStep(pair, target, target.untried.at(-1)!);
        else await walk(pair, target);
      }
    }
  }
  const transitions = [...states.values()].reduce((sum, { next }) => sum + next.size, 0);
  return { states: states.size, transitions, made, difference };
}

const hasUntried = ({ untried }: State) => untried.length > 0;

type Reached = { state: State; route: () => Step[] };

/** Returns the nearest state that is wanted, among `max` states or a few more. */
function nearest(from: State, isWanted: (state: State) => boolean, max?: number) {
  for (const reached of reachable(from, max)) if (isWanted(reached.state)) return reached;
  return undefined;
}

/** Yields the states that can be reached, nearest first, with the fewest steps to each. */
function* reachable(from: State, max = Infinity): Generator<Reached, void> {
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

/** Identifies the state of a pair in a scope. */
function keyOf({ app, oracle }: Pair, { answeredLate = [] }: Scope): string {
  const labels = new Map<string, number>();
  const aborted = answeredLate.find((call) => call === app.abortedCall());
  const state = { oracle: oracle.state(), app: app.state(), aborted };
  return JSON.stringify(state, (key, value: unknown) => {
    if (ignoredInKey.has(key)) return undefined;
    // A user without a role is like none.
    if (key === 'user' && isDeepStrictEqual(value, {})) return undefined;
    if (typeof value === 'string' && /[\s\d]/.test(value)) {
      // Messages without a number are constant, so that two fields may have the same by chance.
      const text = /\d/.test(value) ? value : `${key} ${value}`;
      if (!labels.has(text)) labels.set(text, labels.size);
      return labels.get(text);
    }
    // The texts of a row are only shown. Its id and its other fields count.
    return Array.isArray(value) && typeof value[0] === 'object'
      ? value.map((row: object) => ({ ...row, title: undefined, description: undefined }))
      : value;
  });
}

/** What never decides the next step: counters, bodies, and what only the screen has. */
const ignoredInKey = new Set(['made', 'sent', 'announced', 'createdCount']);

/** Performs a step. Returns what is different in the app and in the specification afterwards. */
async function performAndCompare(pair: Pair, step: Step): Promise<string[]> {
  try {
    await step.perform(pair, ++pair.length);
  } catch (error) {
    return [`The app throws ${String(error)}`];
  }
  return steps.compare(pair);
}

/** Returns an error that names the field of the state that grows, and says what to do. */
function tooManyStates({ calls }: Scope, keys: string[]): Error {
  const valuesOf = new Map<string, Set<string>>();
  function add(name: string, value: unknown) {
    if (isRecord(value)) {
      for (const [key, field] of Object.entries(value)) add(`${name}.${key}`, field);
    } else {
      valuesOf.set(name, (valuesOf.get(name) ?? new Set()).add(JSON.stringify(value)));
    }
  }
  for (const key of keys) {
    const { app, oracle } = JSON.parse(key) as Record<'app' | 'oracle', unknown>;
    add('app', app);
    add('oracle', oracle);
  }
  const [[name, { size }]] = [...valuesOf].toSorted(([, a], [, b]) => b.size - a.size) as [
    [string, Set<string>],
  ];
  return new Error(
    `With ${calls.join(', ')} the app has more than ${keys.length} states. The field "${name}" has the most values: ${size}. If it decides no later step, add it to \`ignoredInKey\` in model/exploration.ts. Otherwise bound it in the machine and the oracle.`,
  );
}
