import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import {
  LogController,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Lines of JSON on the standard error output, from `level` on. */
export function logOptions(level: LogLevel): FastifyServerOptions['logger'] {
  return {
    level,
    formatters: { level: (name) => ({ level: name }) },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    stream: createLines(2),
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
 * Writes without waiting. Writes to a pipe would hold up the whole process as soon as the program at its other end stops
 * reading; such lines are dropped instead.
 */
function createLines(descriptor: number) {
  const output = withoutWaiting(descriptor);
  return {
    write(line: string) {
      try {
        writeSync(output, line);
      } catch {
        // There is nowhere to tell.
      }
    },
  };
}

function withoutWaiting(descriptor: number): number {
  try {
    if (!fstatSync(descriptor).isFIFO()) return descriptor;
    return openSync(`/dev/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return descriptor;
  }
}
