import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, type RefusalResponse } from '../auth/refusal.ts';
import { StoreUnavailable } from '../store/database.ts';
import type { Contract } from './contract.ts';
import { pageFor, type Pages } from './pages.ts';
import { logRefusal } from './security-log.ts';

const defaultRetryAfterSeconds = 5;

const notFound: RefusalResponse = {
  status: 404,
  message: 'There is nothing at this address.',
};

/**
 * Answers everything that handlers and hooks throw, and requests without a route: with JSON, or
 * with a page if a browser opens an unknown address.
 */
export function registerErrorHandlers(app: FastifyInstance, contract: Contract, pages: Pages) {
  function respond(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const { refusals = contract.refusals } = request.routeOptions.config;
    const { status, message, headers = {} } = toErrorResponse(error, refusals);
    if (status >= 500 && !(error instanceof Refusal)) request.log.error(error);
    const reason = reasonOf(error);
    logRefusal(request, typeof reason === 'string' ? reason : 'invalidRequest');
    // The failed response set these.
    reply.removeHeader('etag').removeHeader('content-encoding');
    if (reason === 'bodyTooLarge') {
      app.connections.discardBody(reply.removeHeader('connection').request.raw);
    }
    reply.code(status).headers(headers);
    if ([404, 431].includes(status) && sendPage(pages, request, reply)) return;
    sendMessage(reply, message);
  }
  app.setErrorHandler((error, request, reply) => {
    try {
      respond(error, request, reply);
    } catch (bug) {
      // Thrown from here, Fastify would send its text.
      request.log.error(bug);
      const { status, message } = contract.refusals.internalServerError;
      sendMessage(reply.code(status), message);
    }
    return reply;
  });
  app.setNotFoundHandler((request) => {
    throw unknownRouteRefusal(contract, request.url);
  });
}

export function sendMessage(reply: FastifyReply, message: string): void {
  void sendJson(reply, JSON.stringify({ message }));
}

/** Sends JSON with the content type of the contract. Fastify would add a charset to a text. */
export const sendJson = (reply: FastifyReply, json: string): FastifyReply =>
  reply.type('application/json').send(Buffer.from(json));

/** Sends the page of a refusal if the request is a browser's. Returns whether it is. */
export function sendPage(pages: Pages, request: FastifyRequest, reply: FastifyReply): boolean {
  const page = pageFor(reply.statusCode, pages, request);
  reply.header('vary', 'accept');
  if (page !== undefined) reply.type('text/html; charset=utf-8').send(page);
  return page !== undefined;
}

/** Returns the refusal for a URL without a route: 405 if other methods have one, otherwise 404. */
export function unknownRouteRefusal({ operations }: Contract, url: string): Refusal {
  const [path = ''] = url.split('?');
  const methods = operations
    .filter(({ pathPattern }) => pathPattern.test(path))
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  if (methods.length === 0) return new Refusal(notFound);
  return new Refusal({
    status: 405,
    message: 'This address cannot be used in this way.',
    headers: { allow: methods.join(', ') },
  });
}

/** Returns the response for anything thrown. Unexpected errors become 500 without details. */
function toErrorResponse(error: unknown, refusals: Contract['refusals']): RefusalResponse {
  const reason = reasonOf(error);
  if (typeof reason !== 'string') return reason;
  const seconds = error instanceof Refusal ? error.retryAfterSeconds : undefined;
  if (reason !== 'unavailable' && seconds === undefined) return refusals[reason];
  const retryAfter = String(seconds ?? defaultRetryAfterSeconds);
  return { ...refusals[reason], headers: { 'retry-after': retryAfter } };
}

function reasonOf(error: unknown): Refusal['reason'] {
  if (error instanceof Refusal) return error.reason;
  if (error instanceof StoreUnavailable) return 'unavailable';
  // The rest are Fastify's own errors and bugs.
  const { code, statusCode: status = 500 } = (error ?? {}) as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return 'bodyTooLarge';
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return 'notJson';
  if (status === 403 || status === 404) return notFound;
  if (status < 500) return { status, message: 'The request could not be understood.' };
  return 'internalServerError';
}
