import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** Ends the request that the running code works for, because of an exception. */
const failCurrentRequest = new AsyncLocalStorage<(error: unknown) => void>();

/**
 * Makes what a request's listeners throw end the request instead of the process. The client gets
 * 500 with `message`, never the text of the exception.
 */
export function containExceptions({ server, log }: FastifyInstance, message: string) {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const fail = (error: unknown) => {
      log.error(error, 'uncaught exception');
      try {
        response.writeHead(500, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ message }));
      } catch {
        response.destroy(); // it has begun
      }
    };
    failCurrentRequest.run(fail, () => {
      try {
        for (const listener of listeners) listener(request, response);
      } catch (error) {
        fail(error);
      }
    });
  });
}

/**
 * Handles an exception of the process: ends the request whose callback threw it. Without a request
 * it is only logged, because an end of the process would end the requests of all users.
 */
export function handleUncaughtException(log: FastifyBaseLogger, error: unknown) {
  const fail = failCurrentRequest.getStore();
  if (fail) fail(error);
  else log.error(error, 'uncaught exception');
}
