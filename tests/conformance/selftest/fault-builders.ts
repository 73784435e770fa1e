import { setTimeout as passed } from 'node:timers/promises';
import type { Incoming, Layer, Reply } from './fault-proxy.ts';

/** A backend with one fault: ours, behind a layer that spoils one thing. */
export type Fault = {
  /** What is wrong with it. */
  name: string;
  /** The checks that name this fault: each has to fail. */
  killedBy: string[];
  /** Made anew for each run, so that it may remember things. */
  layer: () => Layer;
};

type Json = Record<string, unknown>;

export const login = 'POST /api/v1/auth/login';
export const register = 'POST /api/v1/users/register';
export const list = 'GET /api/v1/projects';
export const creating = 'POST /api/v1/projects';

/**
 * Tells of each call of a name whether another one was on its way when it came. The first one waits for the other, and no longer
 * than a second: on a machine that is busy the other one comes later.
 */
export function meeting(): (name?: string) => Promise<boolean> {
  const coming = new Map<string, () => void>();
  return async (name = '') => {
    const other = coming.get(name);
    other?.();
    if (other) return true;
    const met = new Promise<void>((resolve) => coming.set(name, resolve));
    await Promise.race([met, passed(1_000)]);
    coming.delete(name);
    return false;
  };
}

export const callOf = ({ method, path }: Incoming) => `${method} ${path.split('?')[0]}`;
export const isCall = (incoming: Incoming, ...calls: string[]) => calls.includes(callOf(incoming));

export function fault(name: string, killedBy: string | string[], layer: () => Layer): Fault {
  return { name, killedBy: [killedBy].flat(), layer };
}

/** Changes answers to some calls. */
export const replies =
  (calls: string[], change: (reply: Reply, incoming: Incoming) => Reply | void) => (): Layer => ({
    reply: (reply, incoming) => (isCall(incoming, ...calls) ? change(reply, incoming) : undefined),
  });

/** Changes the JSON of successes. */
export const successes = (calls: string[], change: (body: never) => unknown) =>
  replies(calls, (reply) =>
    reply.status < 300
      ? withJson(reply, change(JSON.parse(String(reply.body)) as never))
      : undefined,
  );

/** Changes each project that leaves. */
export const projectsLeaving = (change: (project: Project) => unknown) =>
  successes([list, creating], (body: Project | Project[]) =>
    Array.isArray(body) ? body.map(change) : change(body),
  );

/** Changes the texts of a project that are to be kept. */
export const textsComing = (change: (text: string, key: string) => string) => (): Layer => ({
  request: (incoming) => {
    if (!isCall(incoming, creating)) return undefined;
    const each = ([key, value]: [string, unknown]) => [
      key,
      typeof value === 'string' ? change(value, key) || ' ' : value,
    ];
    return withBody(incoming, (body) => Object.fromEntries(Object.entries(body).map(each)) as Json);
  },
});

/** Changes refusals. */
export const refusals = (change: (reply: Reply, message: string) => Reply) => (): Layer => ({
  reply: (reply) => (reply.status >= 400 ? change(reply, messageOf(reply)) : undefined),
});

export type Project = { id: string | number; title: string; description: string };

export function withJson(reply: Reply, body: unknown, status = reply.status): Reply {
  return {
    ...reply,
    status,
    body: JSON.stringify(body),
    headers: { ...reply.headers, 'content-type': 'application/json' },
  };
}

export function withBody(incoming: Incoming, change: (body: Json) => Json): Incoming {
  const body = jsonOf(incoming.body);
  return body ? { ...incoming, body: JSON.stringify(change(body)) } : incoming;
}

export function jsonOf(text: string | Buffer): Json | undefined {
  try {
    const body: unknown = JSON.parse(String(text));
    return typeof body === 'object' && body !== null ? (body as Json) : undefined;
  } catch {
    return undefined;
  }
}

export const messageOf = ({ body }: Reply) =>
  (jsonOf(body)?.['message'] as string | undefined) ?? 'Refused.';

const html = (text: string) => `<!DOCTYPE html><html><body><h1>${text}</h1></body></html>`;
export const page = (status: number, text: string): Reply => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: html(text),
});
export const json = (status: number, body: unknown, headers = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

export const cookieOf = ({ headers }: Incoming, name: string) =>
  new RegExp(`(?:^|; )${name}=([^;]*)`).exec(String(headers['cookie'] ?? ''))?.[1];
/** The same call with another value in a cookie that it has. */
export const withCookie = (incoming: Incoming, name: string, value: string): Incoming => ({
  ...incoming,
  headers: {
    ...incoming.headers,
    cookie: String(incoming.headers['cookie']).replace(
      new RegExp(`${name}=[^;]*`),
      `${name}=${value}`,
    ),
  },
});
/** The value that an answer sets a cookie to. */
export const cookieGiven = (reply: Reply, name: string) =>
  cookiesSet(reply)
    .map((line) => new RegExp(`^${name}=([^;]*)`).exec(line)?.[1])
    .find(Boolean);
/** The same answer with other Set-Cookie lines. */
export const withCookiesSet = (reply: Reply, lines: string[]): Reply => ({
  ...reply,
  headers: { ...reply.headers, 'set-cookie': lines },
});
export const cookiesSet = ({ headers }: Reply): string[] => [headers['set-cookie'] ?? []].flat();

/** Changes each cookie that is set. */
export const cookies = (change: (line: string) => string | undefined) => (): Layer => ({
  reply(reply) {
    const lines = cookiesSet(reply);
    if (lines.length === 0) return undefined;
    return withCookiesSet(
      reply,
      lines.map(change).filter((line) => line !== undefined),
    );
  },
});
export const onlyOf = (name: string, change: (line: string) => string) => (line: string) =>
  line.startsWith(`${name}=`) ? change(line) : line;

/** Changes the password of what is registered and of what signs in. */
export const passwords =
  (change: (password: string) => string, calls = [login, register]) =>
  (): Layer => ({
    request: (incoming) =>
      isCall(incoming, ...calls)
        ? withBody(incoming, (body) =>
            typeof body['password'] === 'string'
              ? { ...body, password: change(body['password']) }
              : body,
          )
        : undefined,
  });

export const emailOf = (incoming: Incoming) => {
  const email = jsonOf(incoming.body)?.['email'];
  return typeof email === 'string' ? email : '';
};

/** What registered: the layer knows the accounts. */
export function withAccounts(make: (accounts: Map<string, string>) => Layer) {
  return (): Layer => {
    const accounts = new Map<string, string>();
    const layer = make(accounts);
    return {
      ...layer,
      async reply(reply, incoming, pass) {
        const email = emailOf(incoming).toLowerCase();
        const password = jsonOf(incoming.body)?.['password'];
        const changed = (await layer.reply?.(reply, incoming, pass)) ?? reply;
        if (isCall(incoming, register) && reply.status === 201)
          accounts.set(email, String(password));
        return changed;
      },
    };
  };
}

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
