import { Cookie, CookieJar } from 'tough-cookie';
import { definitionOf, findCall } from '../../model/calls.ts';
import { createApi, type Api } from '../../src/api/api.ts';
import { xsrfToken } from '../../src/api/xsrf.ts';
import type { NewProject, Outcome } from '../../machines/types.ts';
import {
  headerValue,
  headerValues,
  Unjudged,
  type Exchange,
  type HttpClient,
  type HttpRequest,
  type HttpResponse,
} from './client.ts';

export type Operation = keyof Api;

/** Outcome of a call for the app. `ok` is undefined when the app cannot read the response. */
export type CallOutcome<Value> = Outcome<Value> | { ok: undefined };

/** A call made with the app's own client. */
export type ApiCall<Value = unknown> = {
  operation: Operation;
  outcome: CallOutcome<Value>;
  /** All exchanges of the call, redirects included. */
  exchanges: Exchange[];
  /** The last exchange, whose response the app received. */
  exchange: Exchange;
};

export type RequestOptions = {
  headers?: Record<string, string | undefined>;
  body?: string | Buffer;
  json?: unknown;
  /** Whether the app itself would send this request. */
  isAppRequest?: boolean;
  /** A browser ignores the cookies of an aborted request. */
  signal?: AbortSignal;
  onNewConnection?: boolean;
};

/**
 * Simulates a browser that runs the app's client: a cookie jar, the headers that browsers add, and
 * redirects. Simulated browsers share only the HTTP client.
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
    this.call('login', (api) => api.login({ email, password }, notAborted));

  registerUser = (email: string, password: string) =>
    this.call('registerUser', (api) => api.registerUser({ email, password }, notAborted));

  listProjects = (overrides?: RequestOptions) =>
    this.call('listProjects', (api) => api.listProjects(notAborted), overrides);

  createProject = ({ title, description }: NewProject, overrides?: RequestOptions) =>
    this.call(
      'createProject',
      (api) => api.createProject({ title, description }, notAborted),
      overrides,
    );

  /** Makes a call with the app's client. `overrides` changes the request that it sends. */
  async call<Value>(
    operation: Operation,
    send: (api: Api) => Promise<Outcome<Value>>,
    overrides: RequestOptions = {},
  ): Promise<ApiCall<Value>> {
    const exchanges: Exchange[] = [];
    let unjudged: Unjudged | undefined;
    const onExchange = (exchange: Exchange) => exchanges.push(exchange);
    const api = createApi({
      origin: this.http.origin,
      cookies: () => this.documentCookies(),
      fetch: (request) =>
        this.fetch(request, onExchange, overrides).catch((error) => {
          if (error instanceof Unjudged) unjudged = error;
          throw error;
        }),
    });
    let outcome: CallOutcome<Value>;
    try {
      outcome = await send(api);
    } catch {
      outcome = { ok: undefined };
    }
    // The app takes a missing response for a failed request.
    if (unjudged) throw unjudged;
    return { operation, outcome, exchanges, exchange: exchanges.at(-1)! };
  }

  /** Fetches like a browser: sends and stores cookies, and follows redirects. */
  async fetch(
    request: Request,
    onExchange?: (exchange: Exchange) => void,
    overrides: RequestOptions = {},
  ): Promise<Response> {
    let { method } = request;
    let url = new URL(request.url);
    let body: string | undefined = (await request.text()) || undefined;
    const headers = Object.fromEntries(request.headers);
    for (let redirects = 0; redirects <= 20; redirects++) {
      const exchange = await this.sendOnce(method, url.pathname + url.search, {
        isAppRequest: true,
        signal: request.signal,
        ...overrides,
        headers: { ...headers, ...overrides.headers },
        ...(body !== undefined && { body }),
      });
      onExchange?.(exchange);
      const { response } = exchange;
      if (!response) throw new TypeError('fetch failed');
      const location = headerValue(response, 'location');
      if (![301, 302, 303, 307, 308].includes(response.status) || location === undefined) {
        return toFetchResponse(response);
      }
      url = new URL(location, url);
      // A browser refuses to follow this redirect, unless there are CORS headers.
      if (url.origin !== this.http.origin) throw new TypeError('redirected to another origin');
      if (response.status < 307 && method !== 'GET') {
        [method, body] = ['GET', undefined];
        delete headers['content-type'];
      }
    }
    throw new TypeError('too many redirects');
  }

  /** Sends a request, also to where 307 and 308 redirect it. */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<Exchange> {
    const exchange = await this.sendOnce(method, path, options);
    const { status = 0 } = exchange.response ?? {};
    const location = exchange.response && headerValue(exchange.response, 'location');
    if ((status !== 307 && status !== 308) || location === undefined) return exchange;
    const url = new URL(location, this.http.origin + path);
    return url.origin === this.http.origin
      ? this.sendOnce(method, url.pathname + url.search, options)
      : exchange;
  }

  /** Sends one request with this browser's cookies, and stores the cookies of the response. */
  private async sendOnce(method: string, path: string, options: RequestOptions): Promise<Exchange> {
    const { json, isAppRequest = false, onNewConnection } = options;
    const body = json === undefined ? options.body : JSON.stringify(json);
    const { origin } = this.http;
    const cookies = this.jar.getCookieStringSync(origin + path, sameSite);
    const token = this.xsrfToken();
    const headers: Record<string, string | undefined> = {
      ...browserHeaders,
      referer: origin + pageOf(method, path),
      ...(method === 'GET' ? uncachedHeaders : { origin }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { 'x-xsrf-token': token }),
      ...(cookies && { cookie: cookies }),
      ...options.headers,
    };
    for (const [name, value] of Object.entries(headers))
      if (value === undefined) delete headers[name];
    const request = { method, path, headers: headers as HttpRequest['headers'], body };
    const exchange = await this.http.send({ ...request, onNewConnection }, this.name, isAppRequest);
    if (exchange.response && !options.signal?.aborted) {
      for (const line of headerValues(exchange.response, 'set-cookie')) {
        const reason = this.storeCookie(line, path);
        if (reason !== undefined) exchange.rejectedCookies.push({ line, reason });
      }
    }
    return exchange;
  }

  /** Returns what `document.cookie` is for the app. */
  documentCookies(): string {
    return this.jar.getCookieStringSync(`${this.http.origin}/`, { ...sameSite, http: false });
  }

  /** Returns the cookies that a request to this path carries. */
  cookiesFor(path: string): Cookie[] {
    return this.jar.getCookiesSync(this.http.origin + path, sameSite);
  }

  allCookies(): Cookie[] {
    return this.jar.serializeSync()!.cookies.map((cookie) => Cookie.fromJSON(cookie)!);
  }

  /** Creates another browser with the same cookies. */
  clone(name: string): SimulatedBrowser {
    const browser = new SimulatedBrowser(this.http, name);
    for (const cookie of this.allCookies()) browser.setCookie(cookie);
    return browser;
  }

  setCookie(cookie: Cookie) {
    const url = `${this.http.origin}${cookie.path ?? '/'}`;
    this.jar.setCookieSync(cookie, url, { ...sameSite, ignoreError: true });
  }

  xsrfToken(): string | undefined {
    return xsrfToken(() => this.documentCookies());
  }

  /** Stores a cookie like a browser, or returns why a browser rejects it. */
  private storeCookie(line: string, path: string): string | undefined {
    const { origin } = this.http;
    const cookie = Cookie.parse(line);
    if (!cookie) return 'it cannot be parsed';
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

/** What Chromium sends with a request of the app. Frameworks check some of it. */
const browserHeaders = {
  accept: 'application/json',
  'accept-encoding': 'gzip, deflate, br',
  'accept-language': 'en-US,en;q=0.9',
  'sec-fetch-dest': 'empty',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'same-origin',
  'user-agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36 tracker-conformance',
};
/** The app fetches with `cache: 'no-store'`. */
const uncachedHeaders = { 'cache-control': 'no-cache', pragma: 'no-cache' };

/** Returns the page on which the app sends a request. */
function pageOf(method: string, path: string): string {
  const call = findCall(method, path)?.call;
  return (call && definitionOf(call).form?.route) ?? '/projects';
}

const sameSite = { sameSiteContext: 'strict' } as const;
const notAborted = new AbortController().signal;

/** Whether browsers accept `Secure` cookies from this origin even without https. */
export function isLocalhost(origin: string): boolean {
  const { hostname } = new URL(origin);
  return /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

const statusesWithoutBody = [101, 204, 205, 304];

/** Converts a recorded response to a `Response`. Throws on statuses that `fetch` rejects. */
function toFetchResponse({ status, headers: pairs, bytes }: HttpResponse): Response {
  if (status < 200 || status > 599) throw new TypeError('fetch failed');
  const headers = new Headers();
  for (const [name, value] of pairs) {
    // The body is already decoded, and browsers hide Set-Cookie from scripts.
    if (/^(content-encoding|content-length|transfer-encoding|set-cookie)$/.test(name)) continue;
    try {
      headers.append(name, value);
    } catch {
      continue;
    }
  }
  const isEmpty = statusesWithoutBody.includes(status) || bytes.length === 0;
  return new Response(isEmpty ? null : new Uint8Array(bytes), { status, headers });
}
