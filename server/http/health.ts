import type { FastifyInstance } from 'fastify';
import { Refusal } from '../refusal.ts';
import type { Store } from '../store/store.ts';

/** Adds the probes for orchestrators and load balancers. They are not part of the contract. */
export function registerHealthRoutes(
  app: FastifyInstance,
  store: Store,
  isDraining: () => boolean,
) {
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });

  // Liveness. The store is not checked, because a restart would not repair it.
  app.get('/healthz', async () => ({ status: 'alive' }));

  // Readiness.
  app.get('/readyz', async () => {
    if (isDraining()) throw new Refusal({ status: 503, message: 'This server is stopping.' });
    await store.check();
    return { status: 'ready' };
  });
}
