import { Cookie, CookieJar } from 'tough-cookie';
import { createApi, type Api } from '../../src/api/api.ts';
import type { NewProject, Outcome } from '../../machines/types.ts';
import { headerValue, headerValues, type Exchange, type HttpClient } from './client.ts';

export type Operation = keyof Api;

/** How one of the four calls ended for the app: as an outcome, or by something that it could not understand. */
export type CallOutcome<Value> = Outcome<Value> | { ok: undefined; error: string };

/** A call that the app's own client made. */
export type ApiCall<Value = unknown> = {
  operation: Operation;
  outcome: CallOutcome<Value>;
  /** What was said, redirects included. */
  exchanges: Exchange[];
  /** The last of them, which the app took for the answer. */
  exchange: Exchange;
};

export type RequestOptions = {
  headers?: Record<string, string | undefined>;
  body?: string | Buffer;
  json?: unknown;
  /** Leaves cookies and the XSRF header out. */
  omitCookies?: boolean;
  /** The app itself would send this. */
  isAppRequest?: boolean;
};

/**
 * A browser without a screen: a cookie jar, the headers that browsers add, redirects followed as they do, and the app's own client
 * on top. Nothing of it is shared with another browser but the wire.
 */
export class SimulatedBrowser {
  readonly name: string;
  readonly http: HttpClient;
  readonly jar = new CookieJar(null, { prefixSecurity: 'strict', rejectPublicSuffixes: false });

  constructor(http: HttpClient, name: string) {
    this.http = http;
    this.name = name;
  }

  login = (email: string, password: string) =>
    this.call('login', (api) => api.login({ email, password }, never));

  registerUser = (email: string, password: string) =>
    this.call('registerUser', (api) => api.registerUser({ email, password }, never));

  listProjects = () => this.call('listProjects', (api) => api.listProjects(never));

  createProject = ({ title, description }: NewProject, options: RequestOptions = {}) =>
    this.call('createProject', (api) => api.createProject({ title, description }, never), options);

  /** Makes one of the app's calls with the app's client. `around` changes what goes out. */
  async call<Value>(
    operation: Operation,
    make: (api: Api) => Promise<Outcome<Value>>,
    around: RequestOptions = {},
  ): Promise<ApiCall<Value>> {
    const exchanges: Exchange[] = [];
    const api = createApi({
      origin: this.http.origin,
      cookies: () => this.documentCookies(),
      fetch: (request) => this.fetch(request, { note: (one) => exchanges.push(one), around }),
    });
    let outcome: CallOutcome<Value>;
    try {
      outcome = await make(api);
    } catch (error) {
      outcome = { ok: undefined, error: error instanceof Error ? error.message : String(error) };
    }
    return { operation, outcome, exchanges, exchange: exchanges.at(-1)! };
  }

  /** `fetch` as this browser has it. */
  async fetch(
    request: Request,
    { note, around = {} }: { note?: (exchange: Exchange) => void; around?: RequestOptions } = {},
  ): Promise<Response> {
    let { method } = request;
    let url = new URL(request.url);
    let body: string | undefined = (await request.text()) || undefined;
    const given = Object.fromEntries(request.headers);
    for (let hops = 0; hops <= 20; hops++) {
      const exchange = await this.send(method, url.pathname + url.search, {
        isAppRequest: true,
        ...around,
        headers: { ...given, ...around.headers },
        ...(body !== undefined && { body }),
      });
      note?.(exchange);
      const { response } = exchange;
      if (!response) throw new TypeError('fetch failed');
      const location = headerValue(response, 'location');
      if (![301, 302, 303, 307, 308].includes(response.status) || location === undefined) {
        return responseOf(response.status, response.headers, response.bytes);
      }
      url = new URL(location, url);
      // Without CORS headers, a browser gives up here.
      if (url.origin !== this.http.origin) throw new TypeError('redirected to another origin');
      if (response.status < 307 && method !== 'GET') {
        [method, body] = ['GET', undefined];
        delete given['content-type'];
      }
    }
    throw new TypeError('too many redirects');
  }

  /** Sends anything at all, once, with this browser's cookies, and keeps the cookies that come back. */
  async send(method: string, path: string, probe: RequestOptions = {}): Promise<Exchange> {
    const { json, omitCookies = false, isAppRequest = false } = probe;
    const body = json === undefined ? probe.body : JSON.stringify(json);
    const cookies = omitCookies
      ? ''
      : this.jar.getCookieStringSync(this.http.origin + path, sameSite);
    const token = omitCookies ? undefined : this.xsrfToken();
    const all: Record<string, string | undefined> = {
      accept: 'application/json',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': 'tracker-conformance',
      'sec-fetch-site': 'same-origin',
      'sec-fetch-mode': 'cors',
      ...(method !== 'GET' && { origin: this.http.origin }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { 'x-xsrf-token': token }),
      ...(cookies && { cookie: cookies }),
      ...probe.headers,
    };
    const present = Object.entries(all).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    );
    const exchange = await this.http.send(
      { method, path, headers: Object.fromEntries(present), body },
      this.name,
      isAppRequest,
    );
    if (exchange.response && !omitCookies) {
      for (const line of headerValues(exchange.response, 'set-cookie'))
        this.keep(line, path, exchange);
    }
    return exchange;
  }

  /** What a script of the app reads of the cookies. */
  documentCookies(): string {
    return this.jar.getCookieStringSync(`${this.http.origin}/`, { ...sameSite, http: false });
  }

  /** The cookies that go with a call to this path. */
  cookiesFor(path: string): Cookie[] {
    return this.jar.getCookiesSync(this.http.origin + path, sameSite);
  }

  allCookies(): Cookie[] {
    return this.jar.serializeSync()!.cookies.map((one) => Cookie.fromJSON(one)!);
  }

  /** Another browser with the same cookies. */
  clone(name: string): SimulatedBrowser {
    const twin = new SimulatedBrowser(this.http, name);
    for (const cookie of this.allCookies()) twin.setCookie(cookie);
    return twin;
  }

  setCookie(cookie: Cookie) {
    const host = new URL(this.http.origin).hostname;
    this.jar.setCookieSync(cookie, `${this.http.origin}${cookie.path ?? '/'}`, {
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
    if (why !== undefined) exchange.rejectedCookies.push({ line, reason: why });
  }

  /** Keeps a cookie as a browser would, or says why a browser would not. */
  private refusal(line: string, path: string): string | undefined {
    const { origin } = this.http;
    const cookie = Cookie.parse(line);
    if (!cookie) return 'it cannot be read';
    if (line.length > 4096) return 'it is longer than 4096 bytes';
    if (cookie.secure && origin.startsWith('http:') && !isLocalhost(origin)) {
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
export function isLocalhost(origin: string): boolean {
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
