import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  floodLogins,
  killDuringCreates,
  restartReplicas,
  shareStore,
  type Figures,
} from '../torture/scenarios.ts';
import { builtApp, freshPostgres, storeNames, temporaryFolder, type StoreName } from './support.ts';

// Short forms of `npm run test:torture`. Each prints its figures, and asks for no time: other tests run beside it.

test('a rolling restart behind a balancer fails no request', async () => {
  const figures = await restartReplicas(await settings('PostgreSQL'), 2, 1, 2);
  print('rolling restart', figures);
  expect(figures).toMatchObject({ 'failed requests': 0, lost: 0 });
});

describe.each(storeNames)('on %s', (name) => {
  test('a server that is killed in the middle of creates has lost nothing it acknowledged', async () => {
    const figures = await killDuringCreates(await settings(name), 1, 10);
    print(`kill -9, ${name}`, figures);
    expect(figures).toMatchObject({ lost: 0, 'lost after a retry': 0, duplicated: 0 });
  });

  test('processes that share a store lose nothing, and make one account of many registrations', async () => {
    const figures = await shareStore(await settings(name), 2, 20, 12);
    print(`several processes, ${name}`, figures);
    expect(figures).toMatchObject({ lost: 0, duplicated: 0, 'of them 201': 1, 'of them 409': 11 });
  });
});

test('a flood of sign-ins leaves the rest of the site working', async () => {
  const all = await floodLogins(await settings('SQLite'), 40, 1);
  // Of one look at each, while other tests run, a median says nothing.
  const { 'failed: medians of 150 ms or more': _medians, ...figures } = all;
  print('login flood', figures);
  expect(figures).toMatchObject({ 'failed sign-ins without a response': 0 });
});

function print(scenario: string, figures: Figures) {
  const parts = Object.entries(figures).map(([figure, value]) => `${figure}: ${value}`);
  console.log(`${scenario} · ${parts.join(' · ')}`);
}

async function settings(name: StoreName): Promise<Record<string, string>> {
  // Most of the time of a start goes into compiling. A server that is stopped keeps what it compiled for those after it.
  const NODE_COMPILE_CACHE = join(tmpdir(), 'node-compile-cache');
  const common = { DIST_DIR: builtApp(), LOG_LEVEL: 'warn', NODE_COMPILE_CACHE };
  return name === 'SQLite'
    ? { ...common, DATA_DIR: temporaryFolder() }
    : { ...common, DATABASE_URL: await freshPostgres() };
}
