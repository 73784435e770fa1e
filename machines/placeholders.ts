import type { DoneActorEvent, ErrorActorEvent } from 'xstate';
import type { Outcome } from './types.ts';

/** Stands in for an actor until `provide` supplies it: running it throws, by name. */
export function notProvided(operationId: string) {
  return (): never => {
    throw new Error(
      `The actor "${operationId}" is not supplied: use machine.provide({ actors: { ${operationId} } }).`,
    );
  };
}

/** Passes how a call ended on to a guard or an action. */
export function outputOf<Value>({ event }: { event: DoneActorEvent<Outcome<Value>> }) {
  return event.output;
}

/** Passes on what was thrown. */
export function errorOf({ event }: { event: ErrorActorEvent }) {
  return event.error;
}
