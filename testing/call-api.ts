import { definitionOf, type Call } from '../model/calls.ts';
import type { Api, Input } from '../src/api/api.ts';
import type { Outcome } from '../machines/types.ts';

/** Returns what a user submits for a call, with spaces, markup and a line break in each text. */
export function inputFor(call: Call): Record<string, string> | undefined {
  const input = definitionOf(call).input?.(0);
  return (
    input &&
    Object.fromEntries(Object.entries(input).map(([key, text]) => [key, ` <b>${text}</b>\n `]))
  );
}

export function callApi(api: Api, call: Call, signal: AbortSignal): Promise<Outcome<unknown>> {
  return api.call(call, inputFor(call) as Input<Call>, signal);
}
