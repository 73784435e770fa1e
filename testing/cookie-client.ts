import { randomUUID } from 'node:crypto';
import { operationTable, type OperationId } from '../generated/operations.ts';
import type { NewProject } from '../machines/types.ts';
import { fillPath } from '../shared/path-templates.ts';
import { within } from '../shared/waits.ts';
import { newProject } from './projects.ts';
import { longWaitMs } from './time-limits.ts';

export interface Reply {
  status: number;
  headers: Record<string, string | undefined>;
  setCookies: string[];
  /** Parsed if it is JSON, otherwise text. */
  body: unknown;
}

/** HTTP client that keeps cookies and repeats the XSRF cookie in the header, as a browser does. */
export class CookieClient {
  readonly address: string;
  readonly credentials: { email: string; password: string };
  readonly cookies: Map<string, string>;
  maxResponseMs = longWaitMs;

  constructor(
    address: string,
    credentials = { email: `${randomUUID()}@example.org`, password: 'correct horse' },
    cookies = new Map<string, string>(),
  ) {
    this.address = address;
    this.credentials = credentials;
    this.cookies = cookies;
  }

  async call(
    method: string,
    path: string,
    { json, ...init }: RequestInit & { json?: unknown } = {},
  ): Promise<Reply> {
    const headers = new Headers({
      ...this.cookieHeaders(),
      ...(init.headers as Record<string, string>),
    });
    if (json !== undefined && !headers.has('content-type'))
      headers.set('content-type', 'application/json');
    const abortController = new AbortController();
    const response = await within(
      `the response to ${method} ${path}`,
      fetch(this.address + path, {
        ...(json !== undefined && { body: JSON.stringify(json) }),
        signal: abortController.signal,
        ...init,
        method,
        headers,
      }),
      this.maxResponseMs,
    ).catch((error) => {
      // Otherwise the server would wait for the end of the request when the test stops it.
      abortController.abort();
      throw error;
    });
    const setCookies = response.headers.getSetCookie();
    this.keepCookies(setCookies);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      setCookies,
      body: isJson && text ? JSON.parse(text) : text,
    };
  }

  cookieHeaders(): Record<string, string> {
    if (this.cookies.size === 0) return {};
    const xsrf = this.cookies.get('XSRF-TOKEN');
    return {
      cookie: [...this.cookies].map((cookie) => cookie.join('=')).join('; '),
      ...(xsrf && { 'x-xsrf-token': xsrf }),
    };
  }

  /** Stores the cookies of `Set-Cookie` lines. */
  keepCookies(lines: string[] = []) {
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
  }

  /** Makes a call of the contract. `input` also has the parameters of its path. */
  callOperation(id: OperationId, input?: unknown, init = {}): Promise<Reply> {
    const { method, path, hasBody } = operationTable[id];
    const params = input as Record<string, string> | undefined;
    return this.call(method.toUpperCase(), fillPath(path, params ?? {}), {
      ...(hasBody && { json: input }),
      ...init,
    });
  }

  register = (credentials: unknown = this.credentials, init = {}) =>
    this.callOperation('registerUser', credentials, init);

  login = (credentials: unknown = this.credentials, init = {}) =>
    this.callOperation('login', credentials, init);

  listProjects = () => this.callOperation('listProjects');

  createProject = (project: NewProject = newProject(), init = {}) => this.createRaw(project, init);

  /** Creates a project with a body that may not fit the contract. */
  createRaw = (body: unknown, init = {}) => this.callOperation('createProject', body, init);

  /** Registers the account and signs in. Throws if either is refused. */
  async signUp(): Promise<this> {
    const replies = [await this.register(), await this.login()];
    if (replies.some(({ status }) => status < 200 || status > 299)) {
      throw new Error(`Signing up at ${this.address} failed: ${JSON.stringify(replies)}`);
    }
    return this;
  }
}

export const signedInClient = (address: string): Promise<CookieClient> =>
  new CookieClient(address).signUp();
