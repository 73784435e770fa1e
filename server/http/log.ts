import { fstatSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import {
  LogController,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const largestBacklog = 1024 * 1024; // bytes

/** Lines of JSON on the standard error output, or on another open file, from `level` on. */
export function logOptions(level: LogLevel, descriptor = 2): FastifyServerOptions['logger'] {
  return {
    level,
    formatters: { level: (name) => ({ level: name }) },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    stream: createLines(descriptor),
  };
}

/** Keeps Fastify's own lines about requests out of the log; `logWhenDone` writes ours. */
export const ownRequestLines = new LogController({
  disableRequestLogging: true,
  requestIdLogLabel: 'requestId',
});

/**
 * Logs a line when the request has been answered, or the client has gone. Not a header, body or query: there are passwords,
 * cookies and tokens in them.
 */
export function logWhenDone(request: FastifyRequest, reply: FastifyReply) {
  const { raw } = reply;
  raw.once('close', () => {
    const [path] = request.url.split('?');
    const end = raw.writableFinished ? { status: raw.statusCode } : { aborted: true };
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    request.log.info({ method: request.method, path, ...end, ms }, 'request');
  });
}

/**
 * Writes lines to a descriptor. A pipe whose reader has stopped reading would hold up the whole process, so what does not fit into
 * it is kept up to a limit, and dropped from there on. On a full disk, lines are dropped until there is room.
 */
function createLines(descriptor: number): { write(line: string): void } {
  const kind = fstatSync(descriptor);
  if (!kind.isFIFO() && !kind.isSocket()) {
    return {
      write(line) {
        try {
          writeSync(descriptor, line);
        } catch {
          // A server without a log is better than none.
        }
      },
    };
  }
  const pipe = new Socket({ fd: descriptor, readable: false, writable: true }).unref();
  pipe.on('error', () => {}); // nobody is there to tell
  return {
    write(line) {
      if (pipe.writableLength < largestBacklog) pipe.write(line);
    },
  };
}
