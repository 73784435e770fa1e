import { channel } from 'node:diagnostics_channel';
import { fstatSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { isatty } from 'node:tty';
import {
  LogController,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const maxBacklogBytes = 1024 * 1024;

/**
 * Returns Fastify's options for a log on stderr, or on another open descriptor: text at a terminal,
 * otherwise JSON.
 */
export async function logOptions(
  level: LogLevel,
  descriptor = 2,
  isTerminal = isatty(descriptor),
): Promise<FastifyServerOptions['logger']> {
  const writer = createLineWriter(descriptor);
  const format = isTerminal ? await createTextFormat() : undefined;
  return {
    level,
    formatters: { level: (name) => ({ level: name }) },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    stream: format ? { write: (line: string) => writer.write(format(line)) } : writer,
  };
}

type LogLine = { msg: string; method?: string; path?: string; status?: number; ms?: number };

/** Returns a function that makes text of a JSON line, like `[14:03:07] INFO: GET / 200, 1.4 ms`. */
async function createTextFormat(): Promise<(line: string) => string> {
  // Imported here, because it takes 0.1 s and production logs JSON.
  const { prettyFactory } = await import('pino-pretty');
  return prettyFactory({
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname,requestId,method,path,status,aborted,ms',
    singleLine: true,
    messageFormat: (log) => {
      const { msg, method, path = '', status = 'aborted', ms } = log as LogLine;
      return method ? `${method} ${printable(path)} ${status}, ${ms} ms` : msg;
    },
  });
}

/** Escapes what a terminal could take for a command. */
const printable = (path: string) => path.replaceAll(/[^!-~]/g, encodeURIComponent);

/** Turns off Fastify's own lines about requests. `logWhenClosed` logs one line per request. */
export const logController = new LogController({
  disableRequestLogging: true,
  requestIdLogLabel: 'requestId',
});

/** Receives an `EndedRequest` for each request. Without METRICS_PORT, nothing subscribes. */
export const endedRequests = channel('tracker.ended-requests');

export interface EndedRequest {
  request: FastifyRequest;
  status: number | 'aborted';
  ms: number;
}

/**
 * Logs a line when the response has been sent or the client has disconnected. Omits headers, body
 * and query, because they contain passwords, cookies and tokens.
 */
export function logWhenClosed(request: FastifyRequest, reply: FastifyReply) {
  const { raw } = reply;
  raw.once('close', () => {
    // Without the user and password of an absolute address, the query and the fragment.
    const path = request.originalUrl.replaceAll(/^\w+:\/\/[^/?#]*|[?#].*$/g, '');
    const outcome = raw.writableFinished ? { status: raw.statusCode } : { aborted: true };
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    endedRequests.publish({ request, status: outcome.status ?? 'aborted', ms });
    request.log.info({ method: request.method, path, ...outcome, ms }, 'request');
  });
}

/**
 * Writes lines without ever blocking or ending the process. If the reader of a pipe is slow, lines
 * beyond `maxBacklogBytes` are dropped. If the disk is full, lines are dropped.
 */
function createLineWriter(descriptor: number): { write(line: string): void } {
  const stats = fstatSync(descriptor);
  if (!stats.isFIFO() && !stats.isSocket()) {
    return {
      write(line) {
        try {
          writeSync(descriptor, line);
        } catch {
          // A server without a log is better than no server.
        }
      },
    };
  }
  const pipe = new Socket({ fd: descriptor, readable: false, writable: true }).unref();
  pipe.on('error', () => {}); // the log itself is what failed
  return {
    write(line) {
      if (pipe.writableLength < maxBacklogBytes) pipe.write(line);
    },
  };
}
