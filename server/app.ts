import { randomUUID } from 'node:crypto';
import fastifyCookie from '@fastify/cookie';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import { cleanupIntervalMs, createCleanup } from './auth/cleanup.ts';
import { createHashingLimit, type HashingLimit } from './auth/hashing-limit.ts';
import { createPasswords, type Passwords } from './auth/passwords.ts';
import { createSessions } from './auth/sessions.ts';
import { createThrottle } from './auth/throttle.ts';
import { registerClientAddress } from './http/client-address.ts';
import { trackConnections } from './http/connections.ts';
import { loadContract, type Contract } from './http/contract.ts';
import { loadOperations } from './operations.ts';
import {
  registerErrorHandlers,
  sendMessage,
  sendPage,
  unknownRouteRefusal,
} from './http/error-responses.ts';
import { containExceptions } from './http/exceptions.ts';
import { createGuard } from './http/guard.ts';
import { registerHealthRoutes } from './http/health.ts';
import { registerJsonParser } from './http/json-parser.ts';
import { logController, logWhenClosed } from './http/log.ts';
import { findPages, type Pages } from './http/pages.ts';
import {
  forwardToApp,
  handleClientError,
  invalidAddress,
  maxHeaderBytes,
  pathOfTarget,
  protocolRefusal,
} from './http/protocol-refusals.ts';
import { registerRoutes } from './http/routes.ts';
import { securityHeaders } from './http/security-headers.ts';
import { readStaticFiles, registerStaticFiles } from './http/static-files.ts';
import type { Store } from './store/store.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** For the metrics. */
    hashing: HashingLimit;
  }
}

export interface ServerOptions {
  store: Store;
  /** Folder of the built app. */
  dist: string;
  logger?: FastifyServerOptions['logger'];
  passwords?: Passwords;
  /** Addresses and subnets of the proxies whose X-Forwarded-For is trusted. */
  trustedProxies?: string[];
  /** Returns true after the process was asked to stop. */
  isDraining?: () => boolean;
  timeouts?: typeof defaultTimeouts;
}

/** A connection that exceeds one of the first three is cut. */
const defaultTimeouts = {
  headersMs: 15_000,
  /** For headers and body together. */
  requestMs: 60_000,
  /** Without a byte in either direction during a request. */
  idleMs: 30_000,
  /** How often `headersMs` and `requestMs` are checked. */
  checkIntervalMs: 5_000,
};

/** Creates the server without listening. Closing it does not close the store. */
export async function createServer({
  store,
  dist,
  logger = false,
  passwords = createPasswords(),
  trustedProxies = [],
  isDraining = () => false,
  timeouts = defaultTimeouts,
}: ServerOptions): Promise<FastifyInstance> {
  const contract = loadContract();
  const sessions = createSessions(store);
  const hashing = createHashingLimit();
  const throttle = createThrottle(store, hashing);
  const operations = await loadOperations(contract, { store, passwords, sessions, throttle });

  const files = readStaticFiles(dist);
  const pages = findPages(files);
  // Otherwise a CDN could keep an error, such as the 404 of an asset that the next server has.
  const constantHeaders = { ...securityHeaders(pages), 'cache-control': 'no-store' };
  const app = Fastify({
    logger,
    logController,
    genReqId: () => randomUUID(),
    // The contract's maximum refuses a long parameter, with its own message.
    routerOptions: { maxParamLength: maxHeaderBytes },
    requestTimeout: timeouts.requestMs,
    connectionTimeout: timeouts.idleMs,
    http: {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkIntervalMs,
      requireHostHeader: false, // protocolRefusal refuses it with a message
    },
    return503OnClosing: false, // requests that arrive while the server stops are answered
    // `protocolRefusal` refuses what has no path.
    rewriteUrl: ({ url = '' }) => pathOfTarget(url) ?? '/',
    clientErrorHandler: (error, socket) => handleClientError(app, error, socket, contract.refusals),
    frameworkErrors: (_error, request: FastifyRequest, reply: FastifyReply) =>
      refuseAddress(request, reply.headers(constantHeaders), pages),
  });
  app.decorate('connections', trackConnections(app.server));
  forwardToApp(app.server);
  registerClientAddress(app, trustedProxies);
  containExceptions(app, contract.refusals.internalServerError.message);
  addHooks(app, contract, constantHeaders, isDraining);
  registerErrorHandlers(app, contract, pages);
  registerJsonParser(app);
  await app.register(fastifyCookie);
  app.decorate('hashing', hashing);
  await app.register(async (api) =>
    registerRoutes(api, contract, operations, createGuard(sessions)),
  );
  await app.register(async (health) => registerHealthRoutes(health, store, isDraining));
  registerStaticFiles(app, files);
  startCleanup(app, store);
  return app;
}

/** Answers a request whose address Fastify cannot decode. */
function refuseAddress(request: FastifyRequest, reply: FastifyReply, pages: Pages) {
  logWhenClosed(request, reply);
  const { status, message } = invalidAddress;
  reply.code(status);
  if (sendPage(pages, request, reply)) return;
  sendMessage(reply, message);
}

/** Adds the hooks of all requests. Callbacks: a promise per hook costs short responses most. */
function addHooks(
  app: FastifyInstance,
  contract: Contract,
  constantHeaders: Record<string, string>,
  isDraining: () => boolean,
) {
  app.addHook('onRequest', (request, reply, done) => {
    logWhenClosed(request, reply);
    reply.headers(constantHeaders).header('x-request-id', request.id);
    const unknownRoute = request.is404 ? unknownRouteRefusal(contract, request.url) : undefined;
    // Refused before the body is read: its type and size do not matter.
    done(protocolRefusal(request) ?? unknownRoute);
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isDraining()) reply.header('connection', 'close');
    const release = app.connections.responseRelease();
    if (release) void release.then(() => done());
    else done();
  });
}

/** Deletes what has expired, until the server closes. */
function startCleanup(app: FastifyInstance, store: Store) {
  const cleanUp = createCleanup(store);
  const timer = setInterval(() => {
    cleanUp().catch((error: unknown) => app.log.warn(error, 'cleanup failed, trying again later'));
  }, cleanupIntervalMs).unref();
  app.addHook('onClose', async () => clearInterval(timer));
}
