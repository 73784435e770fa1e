/** The results of a call: as the machine learns of them, and as a backend makes them. */
import type { AnyEventObject } from 'xstate';
import type { Project } from '../machines/types.ts';
import { definitionOf, type ResultName, type Call } from './calls.ts';
import { operationOf } from './requests.ts';

/** Returns the event that a machine receives when a call ends; undefined if that is impossible. */
export function resultEvent(
  call: Call,
  name: string,
  n: number,
  rows: readonly Project[] = [],
): AnyEventObject | undefined {
  const result = definitionOf(call).results[name]?.(n, rows);
  if (!result) return undefined;
  const { type, ...payload } = result;
  return { type: `xstate.${type}.actor.${call}`, actorId: call, ...payload };
}

/**
 * What a call gets: a response, a lost connection (`none`), or an exception in the app (`fault`).
 */
export type BackendResponse = { status: number; body?: unknown; text?: string } | 'none' | 'fault';

/** Returns the response that makes a call end as `event` says. */
export function responseFor(call: Call, name: ResultName, event: AnyEventObject): BackendResponse {
  const output = event['output'] as { value?: unknown; message?: unknown } | undefined;
  const { successStatus: status } = operationOf(call);
  switch (name) {
    case 'malformed':
      return { status, text: '<!doctype html><title>Welcome</title>' };
    case 'refusal':
      return { status: 422, body: { message: output?.message } };
    case 'errorWithoutMessage':
      return { status: 503, text: '<!doctype html><title>Unavailable</title>' };
    case 'unreachable':
      return 'none';
    case 'fault':
      return 'fault';
    default:
      return status === 204 ? { status } : { status, body: output?.value ?? {} };
  }
}
