import type { FastifyInstance } from 'fastify';
import { Refusal } from '../refusal.ts';
import type { Store } from '../store/store.ts';

/** Answers two questions of whoever runs the server, at addresses that are no part of the contract. */
export function mountHealth(app: FastifyInstance, store: Store, isDraining: () => boolean) {
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });

  // Is the process alive? If not, start it again. The store is no part of this: starting again would not mend it.
  app.get('/healthz', async () => ({ status: 'alive' }));

  // May it get requests? If not, send them to another one for now.
  app.get('/readyz', async () => {
    if (isDraining()) throw new Refusal({ status: 503, message: 'This server is stopping.' });
    await store.check();
    return { status: 'ready' };
  });
}
