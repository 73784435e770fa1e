import { definitionOf, type Call } from '../../../../model/calls.ts';
import type { BackendResponse } from '../../../../model/outcomes.ts';
import { parseJson } from '../../../../conformance/http/response.ts';

/** How a call to a real backend can be made to end. */
export type BackendOutcome = 'success' | 'empty' | 'refusal' | 'unreachable';

/** Returns how a call ends with this response of the model. */
export function outcomeOf(response: BackendResponse): BackendOutcome {
  if (response === 'none') return 'unreachable';
  if (response === 'fault') throw new Error('A backend cannot cause a fault in the app.');
  if (response.status >= 400) return 'refusal';
  return Array.isArray(response.body) && response.body.length === 0 ? 'empty' : 'success';
}

export function toBackendResponse(status: number, text: string): BackendResponse {
  const body = parseJson(text);
  return body === undefined ? { status, text } : { status, body };
}

const expectations: Record<BackendOutcome, string> = {
  refusal: 'should be refused',
  empty: 'should be an empty list',
  success: 'should succeed',
  unreachable: 'should fail',
};

/** Throws if the backend does not respond as its state requires. */
export function assertExpectedResponse(
  call: Call,
  outcome: BackendOutcome,
  response: BackendResponse,
) {
  const { status, body } = typeof response === 'object' ? response : { status: 0, body: undefined };
  const isSuccess = status >= 200 && status < 300;
  const isEmptyList = Array.isArray(body) && body.length === 0;
  const isExpected =
    outcome === 'refusal' ? status >= 400 : isSuccess && (outcome !== 'empty' || isEmptyList);
  if (isExpected) return;
  const json = JSON.stringify(body) ?? '';
  const actual = status === 0 ? 'there is no response' : `the response is ${status} ${json}`;
  throw new Error(
    `${definitionOf(call).words.subject} ${expectations[outcome]}, but ${actual}`.slice(0, 180),
  );
}

/** Throws if a list lacks a project that was created before. */
export function assertListContains(response: BackendResponse, ids: Iterable<string | number>) {
  const rows = typeof response === 'object' && Array.isArray(response.body) ? response.body : [];
  const listed = new Set(rows.map((row: { id: string | number }) => row.id));
  for (const id of ids) {
    if (listed.has(id)) continue;
    throw new Error(`the list lacks the project that was just created (id ${JSON.stringify(id)})`);
  }
}
