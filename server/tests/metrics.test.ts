import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { signedInClient } from '../../testing/cookie-client.ts';
import { emptyStore, startProcess, storeNames } from '../../testing/server-fixtures.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const read = (name: string) => readFileSync(new URL(`../deploy/${name}`, import.meta.url));

async function startWithMetrics(settings: Record<string, string>) {
  const { address, errors } = await startProcess({ ...settings, METRICS_PORT: '0' });
  await expect.poll(errors).toContain('Metrics are at ');
  return { address, url: /Metrics are at (http:[^"]+)/.exec(errors())![1]! };
}

/** Returns the samples by name and labels. */
async function scrape(url: string): Promise<Map<string, number>> {
  const text = await fetch(url).then((response) => response.text());
  const lines = text.split('\n').filter((line) => line && line[0] !== '#');
  return new Map(
    lines.map((line) => {
      const [, key = '', value] = /^(.+) (\S+)$/.exec(line) ?? [];
      return [key, Number(value)];
    }),
  );
}

describe.each(storeNames)('/metrics on %s', (store) => {
  test('counts requests by operation and status, on a port of its own', async () => {
    const { address, url } = await startWithMetrics(await emptyStore(store));
    const client = await signedInClient(address);
    await client.login({ ...client.credentials, password: 'wrong password' });
    for (let i = 0; i < 3; i += 1) await client.listProjects();
    for (const path of ['/', '/nothing', '/metrics', '/%E0%A4%A', '/readyz']) {
      await client.call('GET', path);
    }
    const count = (operation: string, status: number) =>
      `tracker_request_duration_seconds_count{operation="${operation}",status="${status}"}`;
    // A request is counted after its response.
    await expect.poll(async () => (await scrape(url)).get(count('readyz', 200))).toBe(1);
    const samples = await scrape(url);
    const counts = [...samples].filter(([key]) =>
      key.startsWith('tracker_request_duration_seconds_count'),
    );
    expect(Object.fromEntries(counts)).toEqual({
      [count('registerUser', 201)]: 1,
      [count('login', 200)]: 1,
      [count('login', 401)]: 1,
      [count('listProjects', 200)]: 3,
      [count('static', 200)]: 1,
      [count('unknown', 404)]: 2,
      [count('unknown', 400)]: 1,
      [count('readyz', 200)]: 1,
    });
    expect((await fetch(new URL('/', url))).status).toBe(404);
    expect(samples.get('tracker_hashing_waiting')).toBe(0);
    expect(samples.get('tracker_pool_waiting')).toBe(0);
    expect(samples.get('tracker_store_bytes')).toBeGreaterThan(4096);
    expect(samples.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  });
});

test('each query of the alerts names a metric', async () => {
  const { address, url } = await startWithMetrics({ DATA_DIR: temporaryFolder() });
  await signedInClient(address);
  const names = new Set(['up']);
  for (const key of (await scrape(url)).keys()) names.add(key.replace(/\{.*/, ''));

  const alerts = String(read('prometheus-alerts.yaml')).split('      - alert: ').slice(1);
  const queries = alerts.map((alert) => /expr: ([^]*?)\n {8}for:/.exec(alert)![1]!);
  expect(queries).not.toEqual([]);
  for (const query of queries) {
    const used = query
      .replaceAll(/"[^"]*"|\bby \([^)]*\)|\[[^\]]*\]/g, '')
      .match(/\b(up|(tracker|nodejs|process)_\w+)/g);
    expect(used).not.toBeNull();
    for (const name of used ?? []) expect(names).toContain(name);
  }
});
