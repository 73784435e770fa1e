import {
  createServer,
  request as forward,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request on its way to the backend. */
export type Incoming = {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
};

/** An answer on its way back. */
export type Reply = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string | Buffer;
  /** Writes the answer in place of the usual way. */
  write?: (response: ServerResponse) => void;
};

/** What stands between a backend and whoever calls it. */
export type Layer = {
  /** Changes what goes to the backend, or answers in its place. */
  request?: (
    incoming: Incoming,
    pass: Pass,
  ) => Incoming | Reply | void | Promise<Incoming | Reply | void>;
  /** Changes what comes back. */
  reply?: (reply: Reply, incoming: Incoming, pass: Pass) => Reply | void | Promise<Reply | void>;
};

/** Sends something of its own to the backend. */
export type Pass = (incoming: Incoming) => Promise<Reply>;

export type Running = { address: string; stop: () => Promise<void> };

/** Starts a server that passes everything on to the backend at `address`, and on the way does what the layer says. */
export async function startFaultProxy(
  address: string,
  { request, reply }: Layer,
  from: string,
): Promise<Running> {
  const pass: Pass = (incoming) => passed(address, incoming, from);
  return startServer(async (message, response) => {
    const incoming = await incomingOf(message);
    const original = structuredClone(incoming);
    const changed = (await request?.(incoming, pass)) ?? incoming;
    const answered = 'status' in changed ? changed : await pass(changed);
    const { status, headers, body, write } = (await reply?.(answered, original, pass)) ?? answered;
    if (write) return write(response);
    delete headers['content-length'];
    delete headers['transfer-encoding'];
    response.writeHead(status, headers as Record<string, string>);
    response.end(status === 204 || status === 304 ? undefined : body);
  });
}

/** A server on a free port of this machine. */
export async function startServer(
  handle: (message: IncomingMessage, response: ServerResponse) => Promise<void> | void,
): Promise<Running> {
  const server = createServer((message, response) => {
    Promise.resolve(handle(message, response)).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}

export async function incomingOf(message: IncomingMessage): Promise<Incoming> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const { method = 'GET', url = '/', headers } = message;
  return {
    method,
    path: url,
    headers: { ...headers },
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function passed(
  address: string,
  { method, path, headers, body }: Incoming,
  from: string,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const {
      connection: _connection,
      'content-length': _length,
      'transfer-encoding': _encoding,
      'accept-encoding': _accepted,
      ...rest
    } = headers;
    // Each layer is somebody else to a backend that throttles.
    const outgoing = forward(address + path, {
      method,
      headers: {
        ...rest,
        'x-forwarded-for': from,
        ...(body && { 'content-length': String(Buffer.byteLength(body)) }),
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (message) => {
      const chunks: Buffer[] = [];
      message.on('data', (chunk: Buffer) => chunks.push(chunk));
      message.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const { connection: _kept, 'keep-alive': _alive, ...answered } = message.headers;
        resolve({ status: message.statusCode ?? 0, headers: answered, body: text });
      });
    });
    outgoing.end(body);
  });
}
