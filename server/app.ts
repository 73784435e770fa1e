import { hash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { ServerResponse, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { join, relative } from 'node:path';
import fastifyCookie from '@fastify/cookie';
import fastifyStatic from '@fastify/static';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import helmet from 'helmet';
import { closeWhenIdle, isAnswering, trackRequests } from './http/connections.ts';
import {
  isAt,
  mountContract,
  readContract,
  type Contract,
  type Operations,
} from './http/contract.ts';
import { Refusal, type RefusalAnswer } from './refusal.ts';
import { createGuard } from './http/guard.ts';
import { mountHealth } from './http/health.ts';
import { logWhenDone, ownRequestLines } from './http/log.ts';
import { createProject } from './operations/createProject.ts';
import { listProjects } from './operations/listProjects.ts';
import { login } from './operations/login.ts';
import { registerUser } from './operations/registerUser.ts';
import { createPasswords, type Passwords } from './auth/passwords.ts';
import type { Services } from './services.ts';
import { createSessions } from './auth/sessions.ts';
import { StoreUnavailable } from './store/database.ts';
import type { Store } from './store/store.ts';
import { createThrottle } from './auth/throttle.ts';

export interface AppOptions {
  store: Store;
  /** The folder of the built app. */
  dist: string;
  logger?: FastifyServerOptions['logger'];
  passwords?: Passwords;
  /** Milliseconds since 1970. */
  now?: () => number;
  /** The proxies whose X-Forwarded-For is believed: addresses and subnets. */
  trustedProxies?: string[];
  /** True from when the process was asked to stop. */
  isDraining?: () => boolean;
  timeouts?: Timeouts;
}

/** All in milliseconds. A connection that takes longer is cut. */
export interface Timeouts {
  /** For the headers of a request to arrive. */
  headers: number;
  /** For a whole request to arrive. */
  request: number;
  /** Without a byte in either direction while a request is under way: a client that does not read its answer. */
  stalled: number;
  /** How often the first two are looked at. */
  interval: number;
}

const usualTimeouts = { headers: 15_000, request: 60_000, stalled: 30_000, interval: 5_000 };

const largestBody = 1024 * 1024; // bytes
const usualRetryAfter = 5; // seconds

let contractRead: Contract | undefined;

/** The same for every app of a process: to read it takes longer than all else of starting. */
function contractOfThisServer(): Contract {
  return (contractRead ??= readContract(
    readFileSync(new URL('../openapi.yaml', import.meta.url), 'utf8'),
  ));
}

/** The whole server apart from listening: the contract's operations, and the built app at `/`. Does not close the store. */
export async function createApp({
  store,
  dist,
  logger = false,
  passwords = createPasswords(),
  now = Date.now,
  trustedProxies = [],
  isDraining = () => false,
  timeouts = usualTimeouts,
}: AppOptions): Promise<FastifyInstance> {
  const contract = contractOfThisServer();
  const sessions = createSessions(store, now);
  const throttle = createThrottle(store, now);
  const services: Services = { store, passwords, sessions, throttle, now };
  const operations: Operations = {
    login: login(services),
    registerUser: registerUser(services),
    listProjects: listProjects(services),
    createProject: createProject(services),
  };

  const app = Fastify({
    logger,
    bodyLimit: largestBody,
    trustProxy: trustedProxies.length > 0 && trustedProxies,
    requestTimeout: timeouts.request,
    connectionTimeout: timeouts.stalled,
    http: {
      headersTimeout: timeouts.headers,
      connectionsCheckingInterval: timeouts.interval,
      requireHostHeader: false, // refused below, with a message
    },
    return503OnClosing: false, // who got through to us is answered
    logController: ownRequestLines,
    genReqId: () => randomUUID(),
    clientErrorHandler: answerUnreadable,
    frameworkErrors: (_error, request: FastifyRequest, reply: FastifyReply) => {
      logWhenDone(request, reply);
      void reply.code(400).send({ message: 'The address is not valid.' });
    },
  });

  trackRequests(app.server);

  // An `Expect` other than 100-continue: Node itself would answer without a body.
  const unmet = new WeakSet<IncomingMessage>();
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    unmet.add(request);
    app.server.emit('request', request, response);
  });

  // A `CONNECT`: Node itself would hang up. Like any request, it is answered and logged.
  app.server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    socket.on('error', () => {}); // unheard, it would end the process
    app.server.emit('request', request, response);
  });

  app.setErrorHandler((error, request, reply) => {
    const { status, message, headers = {} } = toAnswer(error, contract);
    if (status >= 500 && !(error instanceof Refusal)) request.log.error(error);
    // These belong to the answer that failed.
    reply.removeHeader('etag').removeHeader('content-encoding');
    return reply.code(status).headers(headers).send({ message });
  });

  const constantHeaders = securityHeaders(pageIn(dist));
  // Hooks with `done`: a promise for each of them is what costs a small answer most.
  app.addHook('onRequest', (request, reply, done) => {
    logWhenDone(request, reply);
    reply.headers(constantHeaders).header('x-request-id', request.id);
    const hosts = countHosts(request.raw);
    if (hosts > 1 || (hosts === 0 && request.raw.httpVersion === '1.1')) {
      return done(new Refusal({ status: 400, message: 'The request must name one host.' }));
    }
    if (unmet.has(request.raw)) {
      const message = 'The request expects what this server cannot do.';
      return done(new Refusal({ status: 417, message }));
    }
    // Before anything looks at the body: at an unknown address its type and size do not matter.
    done(request.is404 ? refusalOfUnknown(request) : undefined);
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isDraining()) reply.header('connection', 'close');
    done();
  });

  function refusalOfUnknown(request: FastifyRequest): Refusal {
    const [address = ''] = request.url.split('?');
    const methods = contract.operations.filter((o) => isAt(o, address)).map((o) => o.method);
    return new Refusal(methods.length > 0 ? wrongMethod(methods) : notFound);
  }
  app.setNotFoundHandler((request) => {
    throw refusalOfUnknown(request);
  });

  parseOnlyJson(app);
  await app.register(fastifyCookie);
  await app.register(async (api) => {
    api.addHook('onSend', (_request, reply, _payload, done) => {
      reply.header('cache-control', 'no-store');
      done();
    });
    mountContract(api, contract, operations, createGuard(sessions));
  });
  await app.register(async (health) => mountHealth(health, store, isDraining));
  await app.register(fastifyStatic, {
    root: dist,
    cacheControl: false,
    preCompressed: true, // the build leaves a .br and a .gz beside each text
    setHeaders: (response, path) => {
      response.setHeader('vary', 'accept-encoding');
      // The build puts a hash of the content into the names of assets, and into no other.
      const isHashed = relative(dist, path).startsWith('assets');
      response.setHeader(
        'cache-control',
        isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    },
  });
  return app;
}

/** Node hides all but the first. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}

const notFound: RefusalAnswer = { status: 404, message: 'There is nothing at this address.' };

function wrongMethod(methods: string[]): RefusalAnswer {
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return {
    status: 405,
    message: 'This address cannot be used in this way.',
    headers: { allow: allow.join(', ') },
  };
}

/** What an error means to whoever sent the request. Whatever nobody foresaw is our fault, and stays in the log. */
function toAnswer(error: unknown, { refusals }: Contract): RefusalAnswer {
  const reason = toReason(error);
  if (typeof reason !== 'string') return reason;
  const seconds = error instanceof Refusal ? error.retryAfter : undefined;
  if (reason !== 'unavailable' && seconds === undefined) return refusals[reason];
  return { ...refusals[reason], headers: { 'retry-after': String(seconds ?? usualRetryAfter) } };
}

function toReason(error: unknown): Refusal['reason'] {
  if (error instanceof Refusal) return error.reason;
  if (error instanceof StoreUnavailable) return 'unavailable';
  // What Fastify itself refuses.
  const { code, statusCode: status = 500 } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return 'bodyTooLarge';
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return 'notJson';
  if (status === 403 || status === 404) return notFound;
  if (status < 500) return { status, message: 'The request could not be understood.' };
  return 'internalServerError';
}

function parseOnlyJson(app: FastifyInstance) {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async ({ headers }: FastifyRequest, body: Buffer) => {
      if (!isPlainUtf8(headers)) throw new Refusal('notJson');
      try {
        return JSON.parse(decoder.decode(body)) as unknown;
      } catch {
        throw new Refusal('malformedJson');
      }
    },
  );
}

function isPlainUtf8(headers: IncomingHttpHeaders): boolean {
  const [, charset = 'utf-8'] =
    /;\s*charset="?([^\s";]*)/i.exec(headers['content-type'] ?? '') ?? [];
  const { 'content-encoding': encoding = 'identity' } = headers;
  return /^utf-?8$/i.test(charset) && /^identity$/i.test(encoding);
}

const securityPolicy = (page: string) => ({
  contentSecurityPolicy: {
    useDefaults: false, // among them is `upgrade-insecure-requests`
    directives: {
      defaultSrc: ["'self'"],
      scriptSrc: ["'self'", ...hashesIn(page, 'script')],
      styleSrc: ["'self'", ...hashesIn(page, 'style')],
      imgSrc: ["'self'", 'data:'],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
    },
  },
  // Belongs to whoever speaks https for us; on http://localhost either would lock people out.
  strictTransportSecurity: false,
  referrerPolicy: { policy: 'same-origin' as const },
});

function pageIn(dist: string): string {
  const path = join(dist, 'index.html');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** The styles or scripts that the built page has in itself, as a policy names them: by what is in them. */
function hashesIn(page: string, tag: 'style' | 'script'): string[] {
  const texts = page.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'));
  return [...texts].map(([, text = '']) => `'sha256-${hash('sha256', text, 'base64')}'`);
}

/** What helmet sets on every answer, asked for once: it would build its answer anew for each request. */
function securityHeaders(page: string): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => (headers[name.toLowerCase()] = value),
    removeHeader: () => {},
  } as unknown as ServerResponse;
  helmet(securityPolicy(page))({} as IncomingMessage, response, () => {});
  return headers;
}

/** For bytes that are no HTTP request. A connection that took too long just ends: browsers repeat a POST after a 408. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket) {
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (isLate || error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
  // An answer to what came before these bytes must not get ours in the middle, nor be lost.
  if (isAnswering(socket)) return closeWhenIdle(socket);
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : '400 Bad Request';
  const body = JSON.stringify({ message: 'The request could not be understood.' });
  return socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}
