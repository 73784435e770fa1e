import { describe, expect, test, vi } from 'vitest';
import { fuzz } from '../support/fuzz.ts';
import { freshDatabase, startServer, storeNames } from './support.ts';
import { longTestMs } from '../support/time-limits.ts';

vi.setConfig({ testTimeout: longTestMs });

describe.each(storeNames)('on %s', (name) => {
  test('every response to a random request is allowed by the contract', async () => {
    const database = (await freshDatabase(name))();
    const address = await startServer({ database, trustedProxies: ['127.0.0.1'] });
    const statuses = await fuzz(address, 400, 1);
    // Without each of these, the test would prove little.
    expect(Object.keys(statuses)).toEqual(
      expect.arrayContaining(['200', '201', '400', '401', '403', '415', '422', '404 elsewhere']),
    );
  });
});
