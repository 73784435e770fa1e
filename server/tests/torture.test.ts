import { describe, expect, test } from 'vitest';
import { failOver } from '../../testing/torture/postgres-outages.ts';
import { floodLogins, killDuringCreates, shareStore } from '../../testing/torture/scenarios.ts';
import { emptyStore, fakeDist, storeNames, type StoreName } from '../../testing/server-fixtures.ts';

// Short forms of `nightly/torture/main.ts`. They assert no durations, because other tests run
// too.

test('a failover to a synchronous standby loses nothing that a server acknowledged', async () => {
  const figures = await failOver('kill -9', common(), 20);
  expect(figures).toMatchObject({
    lost: 0,
    'lost after a retry': 0,
    duplicated: 0,
    'failed: servers that ended': 0,
  });
});

describe.each(storeNames)('on %s', (name) => {
  test('a server killed during creates loses nothing that it acknowledged', async () => {
    const figures = await killDuringCreates(await settings(name), 1, 10);
    expect(figures).toMatchObject({ lost: 0, 'lost after a retry': 0, duplicated: 0 });
  });

  test('processes that share a store lose nothing and register an email once', async () => {
    const figures = await shareStore(await settings(name), 2, 20, 6);
    expect(figures).toMatchObject({ lost: 0, duplicated: 0, 'of them 201': 1, 'of them 409': 5 });
  });
});

test('other requests are answered during a flood of sign-ins', async () => {
  const all = await floodLogins(await settings('SQLite'), 12, 1);
  const { 'failed: medians of 150 ms or more': _medians, ...figures } = all;
  expect(figures).toMatchObject({ 'failed sign-ins without a response': 0 });
});

const common = () => ({ DIST_DIR: fakeDist(), LOG_LEVEL: 'warn' });
const settings = async (name: StoreName) => ({ ...common(), ...(await emptyStore(name)) });
