import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../auth/refusal.ts';
import { StoreUnavailable } from '../store/database.ts';
import type { Store } from '../store/store.ts';

const checkIntervalMs = 1_000;
const checkTimeoutMs = 2_000;

/** Adds the probes for orchestrators and load balancers. They are not part of the contract. */
export function registerHealthRoutes(
  app: FastifyInstance,
  store: Store,
  isDraining: () => boolean,
) {
  // Liveness. The store is not checked, because a restart would not repair it.
  app.get('/healthz', { config: { operationId: 'healthz' } }, async () => ({ status: 'alive' }));

  // Readiness.
  const check = createCheck(store);
  app.get('/readyz', { config: { operationId: 'readyz' } }, async () => {
    if (isDraining()) throw new Refusal({ status: 503, message: 'This server is stopping.' });
    await check();
    return { status: 'ready' };
  });
}

/**
 * Returns a function that checks the store once a second at most, however often it is called. A
 * check that hangs counts as failed, and the next one starts after its end.
 */
function createCheck(store: Store): () => Promise<void> {
  let [result, isRunning, nextAt] = [Promise.resolve(), false, 0];
  return () => {
    if (isRunning || performance.now() < nextAt) return result;
    [isRunning, nextAt] = [true, performance.now() + checkIntervalMs];
    const check = store.check().finally(() => (isRunning = false));
    const timeout = delay(checkTimeoutMs, undefined, { ref: false }).then(() => {
      throw new StoreUnavailable(new Error(`No write succeeded within ${checkTimeoutMs} ms.`));
    });
    return (result = Promise.race([check, timeout]));
  };
}
