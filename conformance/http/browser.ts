import { Cookie, CookieJar } from 'tough-cookie';
import { createApi, type Api } from '../../src/api/api.ts';
import type { Outcome } from '../../machines/types.ts';
import { headerOf, headersOf, type Exchange, type Wire } from './wire.ts';

export type Operation = keyof Api;

/** How one of the four calls ended for the app: as an outcome, or by something that it could not understand. */
export type Ended<Value> = Outcome<Value> | { ok: undefined; thrown: string };

/** A call that the app's own client made. */
export type Call<Value = unknown> = {
  operation: Operation;
  ended: Ended<Value>;
  /** What was said, redirects included. */
  exchanges: Exchange[];
  /** The last of them, which the app took for the answer. */
  exchange: Exchange;
};

export type Probe = {
  headers?: Record<string, string | undefined>;
  body?: string | Buffer;
  json?: unknown;
  /** Leaves cookies and the XSRF header out. */
  bare?: boolean;
  /** The app itself would send this. */
  ordinary?: boolean;
};

/**
 * A browser without a screen: a cookie jar, the headers that browsers add, redirects followed as they do, and the app's own client
 * on top. Nothing of it is shared with another browser but the wire.
 */
export class Browser {
  readonly name: string;
  readonly wire: Wire;
  readonly jar = new CookieJar(null, { prefixSecurity: 'strict', rejectPublicSuffixes: false });

  constructor(wire: Wire, name: string) {
    this.wire = wire;
    this.name = name;
  }

  login = (email: string, password: string) =>
    this.call('login', (api) => api.login({ email, password }, never));

  registerUser = (email: string, password: string) =>
    this.call('registerUser', (api) => api.registerUser({ email, password }, never));

  listProjects = () => this.call('listProjects', (api) => api.listProjects(never));

  createProject = (title: string, description: string, around: Probe = {}) =>
    this.call('createProject', (api) => api.createProject({ title, description }, never), around);

  /** Makes one of the app's calls with the app's client. `around` changes what goes out. */
  async call<Value>(
    operation: Operation,
    make: (api: Api) => Promise<Outcome<Value>>,
    around: Probe = {},
  ): Promise<Call<Value>> {
    const exchanges: Exchange[] = [];
    const api = createApi({
      origin: this.wire.origin,
      cookies: () => this.documentCookies(),
      fetch: (request) => this.fetch(request, { note: (one) => exchanges.push(one), around }),
    });
    let ended: Ended<Value>;
    try {
      ended = await make(api);
    } catch (error) {
      ended = { ok: undefined, thrown: error instanceof Error ? error.message : String(error) };
    }
    return { operation, ended, exchanges, exchange: exchanges.at(-1)! };
  }

  /** `fetch` as this browser has it. */
  async fetch(
    request: Request,
    { note, around = {} }: { note?: (exchange: Exchange) => void; around?: Probe } = {},
  ): Promise<Response> {
    let { method } = request;
    let url = new URL(request.url);
    let body: string | undefined = (await request.text()) || undefined;
    const given = Object.fromEntries(request.headers);
    for (let hops = 0; hops <= 20; hops++) {
      const exchange = await this.send(method, url.pathname + url.search, {
        ordinary: true,
        ...around,
        headers: { ...given, ...around.headers },
        ...(body !== undefined && { body }),
      });
      note?.(exchange);
      const { answer } = exchange;
      if (!answer) throw new TypeError('fetch failed');
      const location = headerOf(answer, 'location');
      if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) {
        return responseOf(answer.status, answer.headers, answer.bytes);
      }
      url = new URL(location, url);
      // Without CORS headers, a browser gives up here.
      if (url.origin !== this.wire.origin) throw new TypeError('redirected to another origin');
      if (answer.status < 307 && method !== 'GET') {
        [method, body] = ['GET', undefined];
        delete given['content-type'];
      }
    }
    throw new TypeError('too many redirects');
  }

  /** Sends anything at all, once, with this browser's cookies, and keeps the cookies that come back. */
  async send(method: string, path: string, probe: Probe = {}): Promise<Exchange> {
    const { json, bare = false, ordinary = false } = probe;
    const body = json === undefined ? probe.body : JSON.stringify(json);
    const cookies = bare ? '' : this.jar.getCookieStringSync(this.wire.origin + path, sameSite);
    const token = bare ? undefined : this.xsrfToken();
    const all: Record<string, string | undefined> = {
      accept: 'application/json',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': 'tracker-conformance',
      'sec-fetch-site': 'same-origin',
      'sec-fetch-mode': 'cors',
      ...(method !== 'GET' && { origin: this.wire.origin }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { 'x-xsrf-token': token }),
      ...(cookies && { cookie: cookies }),
      ...probe.headers,
    };
    const present = Object.entries(all).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    );
    const exchange = await this.wire.send(
      { method, path, headers: Object.fromEntries(present), body },
      this.name,
      ordinary,
    );
    if (exchange.answer && !bare) {
      for (const line of headersOf(exchange.answer, 'set-cookie')) this.keep(line, path, exchange);
    }
    return exchange;
  }

  /** What a script of the app reads of the cookies. */
  documentCookies(): string {
    return this.jar.getCookieStringSync(`${this.wire.origin}/`, { ...sameSite, http: false });
  }

  /** The cookies that go with a call to this path. */
  cookiesFor(path: string): Cookie[] {
    return this.jar.getCookiesSync(this.wire.origin + path, sameSite);
  }

  allCookies(): Cookie[] {
    return this.jar.serializeSync()!.cookies.map((one) => Cookie.fromJSON(one)!);
  }

  /** Another browser with the same cookies. */
  twin(name: string): Browser {
    const twin = new Browser(this.wire, name);
    for (const cookie of this.allCookies()) twin.setCookie(cookie);
    return twin;
  }

  setCookie(cookie: Cookie) {
    const host = new URL(this.wire.origin).hostname;
    this.jar.setCookieSync(cookie, `${this.wire.origin}${cookie.path ?? '/'}`, {
      ...sameSite,
      ignoreError: true,
      ...(cookie.domain === host && {}),
    });
  }

  xsrfToken(): string | undefined {
    const found = this.documentCookies()
      .split('; ')
      .find((pair) => pair.startsWith('XSRF-TOKEN='));
    if (!found) return undefined;
    const raw = found.slice('XSRF-TOKEN='.length);
    try {
      return decodeURIComponent(raw);
    } catch {
      return raw;
    }
  }

  private keep(line: string, path: string, exchange: Exchange) {
    const why = this.refusal(line, path);
    if (why !== undefined) exchange.refusedCookies.push({ line, why });
  }

  /** Keeps a cookie as a browser would, or says why a browser would not. */
  private refusal(line: string, path: string): string | undefined {
    const { origin } = this.wire;
    const cookie = Cookie.parse(line);
    if (!cookie) return 'it cannot be read';
    if (line.length > 4096) return 'it is longer than 4096 bytes';
    if (cookie.secure && origin.startsWith('http:') && !isLocal(origin)) {
      return 'it is "Secure", and this address is not https';
    }
    if (cookie.sameSite === 'none' && !cookie.secure)
      return 'it is "SameSite=None" without "Secure"';
    try {
      this.jar.setCookieSync(line, origin + path, sameSite);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}

const sameSite = { sameSiteContext: 'strict' } as const;
const never = new AbortController().signal;

/** Whether browsers take `Secure` cookies there although it is not https. */
export function isLocal(origin: string): boolean {
  const { hostname } = new URL(origin);
  return /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

const withoutBody = [101, 204, 205, 304];

function responseOf(status: number, all: [string, string][], bytes: Buffer): Response {
  const shown = new Headers();
  for (const [name, value] of all) {
    // The body is not compressed any more, and a browser shows Set-Cookie to nobody.
    if (/^(content-encoding|content-length|transfer-encoding|set-cookie)$/.test(name)) continue;
    try {
      shown.append(name, value);
    } catch {
      continue;
    }
  }
  if (status < 200 || status > 599) throw new TypeError('fetch failed');
  const body = withoutBody.includes(status) || bytes.length === 0 ? null : new Uint8Array(bytes);
  return new Response(body, { status, headers: shown });
}
