import { expect, test } from 'vitest';
import { endedRequests } from '../../http/log.ts';
import { serveMetrics } from '../../metrics.ts';
import type { Store } from '../../store/store.ts';
import { scrape } from '../scrape.ts';

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
  const samples = await scrape(url);
  const duration = 'request_duration_seconds_sum{operation="login",status="aborted"}';
  const names = ['hashing_waiting', 'hashing_refused_total', 'pool_waiting', duration];
  expect(names.map((name) => samples.get(`tracker_${name}`))).toEqual([1, 2, 3, 1.5]);
});
