/**
 * Explores the composed app: every step that a user, a backend or the clock can make in every
 * state, until no new state appears. After each step it compares the app with the oracle.
 *
 * Bounds, and why they suffice:
 * - Texts count by which of them are equal, because the app compares texts and does not read them.
 * - A state with more than two rows, or with more than two calls that are pending or aborted, is
 *   compared and not explored further. So every pair of calls overlaps in every state around it.
 * - After a sign-in, a state with rows, or with more than one call beside a login, is not explored
 *   further: it differs from one before only in what the next sign-in discards.
 * - The user before signs in again where a project is submitted: a sign-in discards nothing else.
 * - Of the aborted calls, only the last can still be answered.
 * - Time passes to the end of the lifetime of unused data, or to one millisecond before it.
 * - A screen without a form is the start and not visited again: to the app it is like any other.
 */
import { isDeepStrictEqual } from 'node:util';
import { callNames, definitionOf, formNames, forms, type ResultName, type Call } from './calls.ts';
import type { LateDriver } from './driver.ts';
import { createOracle } from './oracle.ts';
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
  difference: Difference | undefined;
};

type Pair = steps.Pair<ExploredApp>;
type Step = steps.Step<LateDriver>;

/** A state of app and oracle. Steps are tried if it is within the bounds. */
type State = { key: string; isWithinBounds: boolean; untried: Step[]; next: Map<Step, State> };

/** Returns the results of a call without those that are the same to the machine as another. */
function distinctResults(call: Call): ResultName[] {
  const results = Object.keys(definitionOf(call).results) as ResultName[];
  const rows = [{ id: 'first', title: '', description: '' }];
  const eventOf = (result: ResultName) => JSON.stringify(resultEvent(call, result, 1, rows));
  return [...new Map(results.toReversed().map((result) => [eventOf(result), result])).values()];
}

/** The end of the lifetime of unused data, which begins when its screen is closed. */
const lifetimeMs = steps.delays.subscriptionBatching + steps.delays.keepUnusedData;

const elapse = (unusedForMs: number | undefined, milliseconds: number): Step => ({
  ...steps.elapse(milliseconds),
  isPossible: (state) => state.unusedForMs === unusedForMs,
});

export const allSteps: Step[] = [
  elapse(0, lifetimeMs - 1),
  elapse(lifetimeMs - 1, 1),
  elapse(undefined, lifetimeMs),
  ...callNames.flatMap((call) => [
    ...distinctResults(call).map((result) => steps.end(call, result)),
    steps.endAborted(call, 'success'),
    steps.endAborted(call, 'refusal'),
  ]),
  {
    ...steps.loginAsBefore,
    isPossible: (state, abortedCall) =>
      state.submitted !== undefined && steps.loginAsBefore.isPossible(state, abortedCall),
  },
  ...formNames.flatMap((form) => [
    steps.goTo(forms[form].route),
    steps.submit(form),
    steps.submitWhilePending(form),
  ]),
];

/** The pending and aborted calls of a state that is explored further. */
const maxCallsInFlight = 2;
const maxOtherCallsAfterLogin = 1;
const maxRows = 2;
const maxRowsAfterLogin = 0;
/** The steps of one walk. More would make its log of failures long. */
const maxWalkLength = 500;
/** The states in which a walk looks for a step that was not tried. */
const maxSearchedStates = 250;
/** A change of the app may make its states endless. */
const maxStates = 100_000;

/** Explores the app. Returns the first difference on a shortest sequence of steps, if any. */
export async function explore(createApp: () => ExploredApp): Promise<Exploration> {
  const states = new Map<string, State>();
  let difference: Difference | undefined;

  /** Returns whether a difference after this route and one more step is the first on fewest. */
  const isShorter = ({ length }: Step[]) => !difference || length + 1 < difference.steps.length;
  const createPair = (): Pair => ({ app: createApp(), oracle: createOracle('/'), length: 0 });
  const start = stateOf(createPair());

  function stateOf(pair: Pair): State {
    const key = keyOf(pair);
    const known = states.get(key);
    if (known) return known;
    if (states.size === maxStates) {
      throw new Error(`The app has more than ${maxStates} states. The last is ${key}`);
    }
    const isInside = isWithinBounds(pair);
    const untried = isInside ? possibleSteps(pair) : [];
    const state = { key, isWithinBounds: isInside, untried, next: new Map() };
    states.set(key, state);
    return state;
  }

  /** Performs steps that are known to lead to a state. */
  async function follow(pair: Pair, route: Step[], to: State) {
    // oxlint-disable-next-line no-await-in-loop
    for (const step of route) await step.perform(pair, ++pair.length);
    const key = keyOf(pair);
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
      if (state && !state.isWithinBounds) state = await comeBack(pair);
    }
  }

  /** Ends calls until the state is known and within the bounds. Saves a walk from the start. */
  async function comeBack(pair: Pair): Promise<State | undefined> {
    for (const call of callNames) {
      if (pair.oracle.state().calls[call].pending === 0) continue;
      const end = steps.end(call, call === 'listProjects' ? 'empty' : 'refusal');
      // oxlint-disable-next-line no-await-in-loop
      await end.perform(pair, ++pair.length);
      const state = states.get(keyOf(pair));
      if (state?.isWithinBounds) return state;
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
  return { states: states.size, transitions, difference };
}

function possibleSteps({ app, oracle }: Pair): Step[] {
  const [state, abortedCall] = [oracle.state(), app.abortedCall()];
  return allSteps.filter(({ isPossible }) => isPossible(state, abortedCall));
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

/** Identifies the state of a pair. */
function keyOf({ app, oracle }: Pair): string {
  const labels = new Map<string, number>();
  const state = { oracle: oracle.state(), app: app.state(), aborted: app.abortedCall() };
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

/** Returns whether the steps of a state are tried. The state itself is compared in any case. */
function isWithinBounds({ app, oracle }: Pair): boolean {
  const { calls, projects, lastEmail } = oracle.state();
  const pending = callNames.filter((call) => calls[call].pending > 0);
  const inFlight = pending.length + (app.abortedCall() ? 1 : 0);
  if (lastEmail !== undefined && inFlight - calls.login.pending > maxOtherCallsAfterLogin) {
    return false;
  }
  const max = lastEmail === undefined ? maxRows : maxRowsAfterLogin;
  return inFlight <= maxCallsInFlight && projects.length <= max;
}

/** What never decides the next step: counters, bodies, and what only the screen has. */
const ignoredInKey = new Set(['made', 'sent', 'announced', 'values']);

/** Performs a step. Returns what is different in the app and in the specification afterwards. */
async function performAndCompare(pair: Pair, step: Step): Promise<string[]> {
  try {
    await step.perform(pair, ++pair.length);
  } catch (error) {
    return [`The app throws ${String(error)}`];
  }
  return steps.compare(pair);
}
