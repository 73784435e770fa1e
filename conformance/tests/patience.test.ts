import { expect, test } from 'vitest';
import { createHttpClient } from '../http/client.ts';
import { retryAfterMsOf } from '../http/patience.ts';

test.each([
  [429, { 'retry-after': '3' }, 3000],
  [503, { 'retry-after': '3' }, 3000],
  [429, { 'retry-after': 'Fri, 01 Jan 2100 00:00:10 GMT' }, 10_000],
  [429, { 'retry-after': 'Thu, 31 Dec 2099 00:00:00 GMT' }, 0],
  [429, { 'retry-after': 'soon' }, 1000],
  [429, {}, 1000],
  [503, {}, undefined],
  [200, { 'retry-after': '3' }, undefined],
])('after %i with %o, the kit waits %s ms', (status, headers, expectedMs) => {
  const response = { status, headers: Object.entries(headers), bytes: Buffer.of(), text: '' };
  expect(retryAfterMsOf(response, Date.parse('2100-01-01T00:00:00Z'))).toBe(expectedMs);
});

test('after a stop, nothing is sent', async () => {
  const client = createHttpClient('http://localhost:1', { stop: AbortSignal.abort() });
  const sentBy = { browserName: 'ada', person: 'ada', isAppRequest: true, cookies: [] };
  const sent = client.send({ method: 'GET', path: '/', headers: {} }, sentBy);
  await expect(sent).rejects.toThrow('the run was stopped');
  expect(client.exchanges).toEqual([]);
});
