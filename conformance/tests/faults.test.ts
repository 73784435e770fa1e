import { expect, test } from 'vitest';
import { checks } from '../checks/all.ts';
import type { Project } from '../../machines/types.ts';
import { parseJson } from '../http/response.ts';
import { createProblem } from '../problems/problem.ts';
import { exemplary, startBackend } from './backends/backend.ts';
import { listFalseClaims } from './backends/claims.ts';
import { faults } from './backends/faults/all.ts';
import { firstFinding, found } from './backends/first-finding.ts';
import { nonBackends } from './backends/non-backends.ts';
import { places } from './backends/places.ts';
import { runKit } from './backends/run-kit.ts';
import type { TestClock } from './backends/test-clock.ts';

test.each(faults.map((fault) => [fault.name, fault] as const))(
  'the report begins with %s',
  async (_name, { id, change, only }) => {
    const start = (clock: TestClock) => startBackend(clock, exemplary, change);
    expect((await firstFinding(start, { only }))[0]).toBe(id);
  },
);

test.each(nonBackends.map((server) => [server.id, server.name, server] as const))(
  'the report begins with %s: %s',
  async (id, _name, { start, appOrigin, only = [] }) => {
    expect((await firstFinding(start, { appOrigin, only }))[0]).toBe(id);
  },
);

test('a sentence that its own requests refute fails the tests of the faults', async () => {
  const start = (clock: TestClock) => startBackend(clock, exemplary);
  const { context } = await runKit(start, { only: ['PROJECT-17'] });
  const list = context.http.exchanges.findLast(({ request }) => request.method === 'GET')!;
  const [lacks] = parseJson(list.response?.text) as [Project];
  const other = { ...lacks, id: 'other' };
  for (const sentence of [
    'The list gets status 403.',
    'Signing in fails: status 500.',
    'A project without a title gets no response within 5 s, not 4xx.',
    'A list gets status 200, and the body is an HTML page.',
    'A list gets status 200, and the body is empty.',
    'A list gets status 200, and the body has no "message"; it has "detail".',
    'Signing in works 5 of 4 times.',
    'The list lacks a project.',
    'One request creates a project that is twice in the next list.',
    'A list takes 2.5 s (median of 4 requests).',
    'A text is cut at 7 characters.',
    'A list with more than 100 projects takes 2.5 s.',
  ])
    expect(listFalseClaims(createProblem(sentence, [list]))).toEqual([sentence]);
  const description = 'The list gets status 200.';
  expect(listFalseClaims(createProblem(description, [list]))).toEqual([]);
  expect(listFalseClaims(createProblem(description, [list], { lacks }))).toEqual([description]);
  expect(listFalseClaims(createProblem('It lacks one.', [list], { lacks: other }))).toEqual([]);
});

test('each MUST and SHOULD check has a fault with which the report begins', () => {
  const named = new Set([...faults, ...nonBackends].map(({ id }) => id));
  const ids = checks.map(({ id }) => id);
  expect([...named].toSorted()).toEqual(ids.toSorted());
});

test('each place of the source that finds a problem has a fault', () => {
  expect(places.filter((place) => !found.has(place))).toEqual([]);
});
