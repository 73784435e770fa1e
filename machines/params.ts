import type { DoneActorEvent, ErrorActorEvent } from 'xstate';
import type { Outcome } from './types.ts';

type DoneEvent<Value> = { event: DoneActorEvent<Outcome<Value>> };

/** Returns the outcome with which an actor ended. */
export function outputOf<Value>({ event }: DoneEvent<Value>): Outcome<Value> {
  return event.output;
}

/** The guard of a transition that a call takes when it succeeds. */
export const succeeded = (_: unknown, outcome: Outcome<unknown>): boolean => outcome.ok;

/** Returns the value of a call. Only for a transition whose guard is `succeeded`. */
export function successValue<Value>({ event }: DoneEvent<Value>): Value {
  return (event.output as Extract<Outcome<Value>, { ok: true }>).value;
}

/** Returns the message of a failed request. Only for a transition after one with `succeeded`. */
export function failureMessage({ event }: DoneEvent<unknown>): string {
  return (event.output as Extract<Outcome<unknown>, { ok: false }>).message;
}

/** Returns what an actor threw. */
export function errorOf({ event }: { event: ErrorActorEvent }): unknown {
  return event.error;
}
