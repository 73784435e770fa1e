import { expect, test } from 'vitest';
import { endedRequests } from '../../http/log.ts';
import { serveMetrics } from '../../metrics.ts';
import type { Store } from '../../store/store.ts';

test('those that wait and those that were refused are counted apart, and time in seconds', async () => {
  const database = { size: async () => 0, countWaiting: () => 3 };
  const hashing = { counts: () => ({ running: 0, waiting: 1, refused: 2 }) };
  const url = await serveMetrics(
    { database } as unknown as Store,
    hashing as never,
    '127.0.0.1',
    0,
  );
  const request = { routeOptions: { config: { operationId: 'login' } } };
  endedRequests.publish({ request, status: 'aborted', ms: 1500 });
  await fetch(url);
  const response = await fetch(url);
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  const text = await response.text();
  const duration = 'request_duration_seconds_sum{operation="login",status="aborted"} 1.5';
  for (const sample of ['hashing_waiting 1', 'hashing_refused_total 2', 'pool_waiting 3', duration])
    expect(text).toContain(`\ntracker_${sample}\n`);
});
