import { Cookie, CookieJar } from 'tough-cookie';
import type { OperationId } from '../../generated/operations.ts';
import type { NewProject, Outcome } from '../../machines/types.ts';
import { definitionOf } from '../../model/calls.ts';
import { findCall } from '../../model/requests.ts';
import { createApi, type Input, type Output } from '../../src/api/api.ts';
import { xsrfTokens } from '../../src/api/xsrf.ts';
import type { HttpClient } from './client.ts';
import { Blocked, type CookieSource, type Exchange } from './record.ts';
import { isRedirect, responseHeader, statusOf, headerValues } from './response.ts';
import { definedHeaders } from './transport.ts';

/** A call made with the app's own client. */
export type ApiCall<Value = unknown> = {
  operation: OperationId;
  /** `ok` is undefined when the app cannot read the response. */
  outcome: Outcome<Value> | { ok: undefined };
  /** All exchanges of the call, redirects included. */
  exchanges: Exchange[];
  /** The last exchange, whose response the app received. */
  exchange: Exchange;
};

type RequestOptions = {
  headers?: Record<string, string | undefined>;
  body?: string | Buffer | undefined;
  json?: unknown;
  /** Whether the app itself would send this request. */
  isAppRequest?: boolean;
  /** Whether a 429 is what the check asks for, so that it is not waited out. */
  mayBeLocked?: boolean;
  onNewConnection?: boolean;
  onExchange?: (exchange: Exchange) => void;
};

/**
 * Simulates a browser that runs the app's client: a cookie jar, the headers that browsers add, and
 * redirects. Simulated browsers share only the HTTP client.
 */
export class SimulatedBrowser {
  readonly name: string;
  readonly person: string;
  readonly http: HttpClient;
  readonly jar = new CookieJar(null, { prefixSecurity: 'strict', rejectPublicSuffixes: false });
  /** By the names of the cookies. */
  private readonly cookieSources = new Map<string, CookieSource>();

  constructor(http: HttpClient, name: string, person = name) {
    this.http = http;
    this.name = name;
    this.person = person;
  }

  // Short for `call`, for these four only: a new call needs no method.
  login = (email: string, password: string) => this.call('login', { email, password });

  registerUser = (email: string, password: string) =>
    this.call('registerUser', { email, password });

  listProjects = (overrides?: RequestOptions) => this.call('listProjects', undefined, overrides);

  createProject = (project: NewProject, overrides?: RequestOptions) =>
    this.call('createProject', project, overrides);

  /** Makes a call with the app's client. `overrides` changes the request that it sends. */
  async call<Id extends OperationId>(
    operation: Id,
    input: Input<Id>,
    overrides: RequestOptions = {},
  ): Promise<ApiCall<Output<Id>>> {
    const exchanges: Exchange[] = [];
    const onExchange = (exchange: Exchange) => exchanges.push(exchange);
    let blocked: Blocked | undefined;
    const api = createApi({
      origin: this.http.appOrigin,
      baseUrl: this.http.origin,
      cookies: () => this.documentCookies(),
      fetch: (request) =>
        this.fetch(request, { onExchange, ...overrides }).catch((error: unknown) => {
          if (error instanceof Blocked) blocked = error;
          throw error;
        }),
    });
    // A signal for each call, because a request adds a listener to its own.
    const { signal } = new AbortController();
    const sent = api.call(operation, input, signal);
    const outcome = await sent.catch(() => ({ ok: undefined }) as const);
    // The app takes a missing response for a failed request.
    if (blocked) throw blocked;
    return { operation, outcome, exchanges, exchange: exchanges.at(-1)! };
  }

  /** Fetches like a browser: sends and stores cookies, and follows redirects. */
  async fetch(request: Request, overrides: RequestOptions = {}): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const options = {
      isAppRequest: true,
      body: (await request.text()) || undefined,
      ...overrides,
      headers: { ...Object.fromEntries(request.headers), ...overrides.headers },
    };
    const path = pathname + search;
    return toFetchResponse(await this.follow(/^30[12378]$/, request.method, path, options));
  }

  /** Sends a request, also to where 307 and 308 redirect it. The app follows each redirect. */
  send = (method: string, path: string, options: RequestOptions = {}): Promise<Exchange> =>
    this.follow(options.isAppRequest ? /^30[12378]$/ : /^30[78]$/, method, path, options);

  /** Sends a request, also to where these statuses redirect it. Returns the last exchange. */
  private async follow(redirects: RegExp, method: string, path: string, options: RequestOptions) {
    const { origin } = this.http;
    let previous: Exchange | undefined;
    for (let count = 0; ; count++) {
      const exchange = await this.sendOnce(method, path, options);
      if (previous) previous.next = exchange;
      previous = exchange;
      options.onExchange?.(exchange);
      const status = statusOf(exchange);
      const location = responseHeader(exchange, 'location');
      const isFollowed = redirects.test(`${status}`) && location !== undefined && count < 20;
      if (!isFollowed || !URL.canParse(location, origin + path)) return exchange;
      const url = new URL(location, origin + path);
      // A browser refuses to follow this redirect, unless there are CORS headers.
      if (url.origin !== origin) return exchange;
      path = url.pathname + url.search;
      if (status > 303 || method === 'GET') continue;
      method = 'GET';
      const headers = { ...options.headers, 'content-type': undefined };
      options = { ...options, headers, body: undefined };
    }
  }

  /** Sends one request with this browser's cookies, and stores the cookies of the response. */
  private async sendOnce(method: string, path: string, options: RequestOptions): Promise<Exchange> {
    const { json, isAppRequest = false, mayBeLocked = false, onNewConnection } = options;
    const body = json === undefined ? options.body : JSON.stringify(json);
    const { origin, appOrigin } = this.http;
    const isSameOrigin = origin === appOrigin;
    const cookies = this.cookiesFor(path);
    const token = this.xsrfToken();
    const headers = definedHeaders({
      ...browserHeaders,
      referer: isSameOrigin ? origin + pageOf(method, path) : `${appOrigin}/`,
      'sec-fetch-site': isSameOrigin ? 'same-origin' : 'cross-site',
      ...(method === 'GET' && uncachedHeaders),
      ...((method !== 'GET' || !isSameOrigin) && { origin: appOrigin }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { 'x-xsrf-token': token }),
      ...(cookies.length > 0 && { cookie: cookies.map((each) => each.cookieString()).join('; ') }),
      ...options.headers,
    });
    const request = { method, path, headers, body };
    const sentBy = {
      browserName: this.name,
      person: this.person,
      isAppRequest,
      cookies: cookies.map(({ key, value }) => ({
        name: key,
        value,
        ...this.cookieSources.get(key),
      })),
    };
    const exchange = await this.http.send({ ...request, onNewConnection, mayBeLocked }, sentBy);
    for (const line of headerValues(exchange.response, 'set-cookie')) {
      const reason = this.storeCookie(line, exchange);
      if (reason !== undefined) exchange.rejectedCookies.push({ line, reason });
    }
    return exchange;
  }

  /** Returns what `document.cookie` is for the app. */
  documentCookies(): string {
    return this.jar.getCookieStringSync(`${this.http.origin}/`, { ...sameSite, http: false });
  }

  cookiesFor(path: string): Cookie[] {
    return this.jar.getCookiesSync(this.http.origin + path, sameSite);
  }

  allCookies(): Cookie[] {
    return this.jar.serializeSync()!.cookies.map((cookie) => Cookie.fromJSON(cookie)!);
  }

  /** Creates another browser with the same cookies. */
  clone(name: string): SimulatedBrowser {
    const browser = new SimulatedBrowser(this.http, name);
    for (const cookie of this.allCookies()) browser.setCookie(cookie, this);
    return browser;
  }

  /** Stores a cookie that the kit made up or changed, or one of another browser. */
  setCookie(cookie: Cookie, owner?: SimulatedBrowser) {
    const original = owner?.allCookies().find(({ key }) => key === cookie.key);
    this.cookieSources.set(cookie.key, {
      ...owner?.cookieSources.get(cookie.key),
      ...(original && original.value !== cookie.value && { isChanged: true }),
    });
    const url = `${this.http.origin}${cookie.path ?? '/'}`;
    this.jar.setCookieSync(cookie, url, { ...sameSite, ignoreError: true });
  }

  /** Returns what the app sends as X-XSRF-TOKEN: nothing to a backend of another origin. */
  xsrfToken(): string | undefined {
    if (this.http.origin !== this.http.appOrigin) return undefined;
    return xsrfTokens(() => this.documentCookies())[0];
  }

  /** Stores a cookie like a browser, or returns why a browser rejects it. */
  private storeCookie(line: string, exchange: Exchange): string | undefined {
    const { origin } = this.http;
    const cookie = Cookie.parse(line);
    if (!cookie) return 'it cannot be parsed';
    if (line.length > 4096) return 'it is longer than 4096 bytes';
    if (cookie.secure && origin.startsWith('http:') && !isLocalhost(origin))
      return 'it is "Secure", and this address is not https';
    if (cookie.sameSite === 'none' && !cookie.secure)
      return 'it is "SameSite=None" without "Secure"';
    try {
      this.jar.setCookieSync(line, origin + exchange.request.path, sameSite);
      this.cookieSources.set(cookie.key, { setBy: exchange });
      return undefined;
    } catch (error) {
      // The rest names the hosts.
      return String(error instanceof Error ? error.message : error).split('. ')[0]!;
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
  'user-agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36 tracker-conformance',
};
/** The app fetches with `cache: 'no-store'`. */
const uncachedHeaders = { 'cache-control': 'no-cache', pragma: 'no-cache' };

/** Returns the page on which the app sends a request. */
function pageOf(method: string, path: string): string {
  const call = findCall(method, path)?.call;
  return call ? definitionOf(call).route : '/projects';
}

const sameSite = { sameSiteContext: 'strict' } as const;

/** Whether browsers accept `Secure` cookies from this origin even without https. */
export function isLocalhost(origin: string): boolean {
  const { hostname } = new URL(origin);
  return /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

/** Converts what arrived for the app's client, which reads no headers. Throws like `fetch`. */
function toFetchResponse(exchange: Exchange): Response {
  const { response } = exchange;
  if (!response || isRedirect(exchange)) throw new TypeError('fetch failed');
  const { status, bytes } = response;
  const isEmpty = status === 205 || bytes.length === 0;
  return new Response(isEmpty ? null : new Uint8Array(bytes), { status });
}
