/**
 * The scopes in which the app is explored: every three calls, every two while time passes and
 * aborted calls are answered, every two with a text that is typed and not submitted, and a form
 * whose fields change one at a time. So each added call adds scopes, and does not multiply the
 * states.
 *
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
import { delays } from '../machines/projects.ts';
import {
  callNames,
  definitionOf,
  fetchesOnOpen,
  fixtures,
  isFetched,
  type Call,
  type FetchedCall,
  type ResultName,
} from './calls.ts';
import type { AbortAwareDriver } from './driver.ts';
import { resultEvent } from './results.ts';
import * as steps from './steps.ts';

type Step = steps.Step<AbortAwareDriver>;

const allResults = (call: Call) => Object.keys(definitionOf(call).results) as ResultName[];

/** Returns the results of a call without those that differ from another in a text only. */
function distinctResults(call: Call): ResultName[] {
  const results = allResults(call);
  const rows = [{ ...fixtures.project(0), id: 'first' }];
  const eventOf = (result: ResultName) =>
    JSON.stringify(resultEvent(call, result, 1, rows), (key, value: unknown) =>
      key === 'message' ? '' : value,
    );
  return [...new Map(results.toReversed().map((result) => [eventOf(result), result])).values()];
}

/** The lifetimes of unused data: from the moment its screen is closed, or it arrives later. */
const { keepUnusedData, subscriptionBatching } = delays;
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

/** The calls that are made and answered, and what else happens. */
export type Scope = {
  calls: Call[];
  /** Time passes, and aborted calls are answered. */
  isLate?: boolean;
  /** A text is typed and not submitted. In the app without screens, the page is reloaded, too. */
  isFilled?: boolean;
  /** The fields of a form change one at a time. */
  isEdited?: boolean;
  /** Time passes, and calls end in every way: also in those that only the client distinguishes. */
  isRendered?: boolean;
};

/** Returns every choice of `count` calls, in the order of the contract. */
const choices = (count: number, from = callNames): Call[][] =>
  count === 0
    ? [[]]
    : from.flatMap((call, index) =>
        choices(count - 1, from.slice(index + 1)).map((others) => [call, ...others]),
      );

/** Returns whether a form of these calls keeps its text when its screen is closed. */
const keepsText = (calls: Call[]) => calls.some((call) => steps.stepsFilling(call).length > 0);

const addressesOf = (calls: Call[]) => [...new Set(calls.map((call) => definitionOf(call).route))];

export const scopes: Scope[] = [
  ...choices(2).map((calls) => ({ calls, isLate: true })),
  ...choices(2)
    .filter(keepsText)
    .map((calls) => ({ calls, isFilled: true })),
  ...choices(1)
    .filter(keepsText)
    .map((calls) => ({ calls, isEdited: true })),
  ...choices(3)
    .filter((calls) => addressesOf(calls).filter(fetchesOnOpen).length < 2)
    .map((calls) => ({ calls })),
];

/** The scopes of the walks on rendered screens. */
export const scopesOfWalks: Scope[] = [
  ...choices(2).map((calls) => ({ calls, isRendered: true })),
  ...choices(1)
    .filter(keepsText)
    .map((calls) => ({ calls, isRendered: true, isFilled: true })),
];

export function stepsOf({ calls, isLate, isFilled, isEdited, isRendered }: Scope): Step[] {
  const late = isLate ? calls : [];
  const timed = isLate || isRendered ? calls.filter(isFetched) : [];
  const resultsOf = isRendered ? allResults : distinctResults;
  return [
    // First, so that they are tried last: a walk then starts over.
    ...(isFilled && !isRendered ? [steps.reload, steps.reloadAsOther] : []),
    ...timed.flatMap((call) => [...elapsesOf(call), steps.goTo('/about')]),
    ...calls.flatMap((call) => resultsOf(call).map((result) => steps.end(call, result))),
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
