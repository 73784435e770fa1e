import { randomUUID } from 'node:crypto';

/** How a call ended; `status` 0 is no answer at all. */
export interface Ending {
  status: number;
  body: unknown;
}

/** Somebody with an account, who speaks to whichever address they are told. */
export class Person {
  readonly credentials = { email: `${randomUUID()}@example.org`, password: 'correct horse' };
  private cookies = new Map<string, string>();

  async call(address: string, method: string, path: string, json?: unknown, key?: string) {
    try {
      const response = await fetch(address + path, {
        method,
        headers: {
          ...(this.cookies.size > 0 && {
            cookie: [...this.cookies].map((cookie) => cookie.join('=')).join('; '),
            'x-xsrf-token': this.cookies.get('XSRF-TOKEN') ?? '',
          }),
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...(key && { 'idempotency-key': key }),
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      });
      const text = await response.text();
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        this.cookies.set(name, value);
      }
      return { status: response.status, body: text.startsWith('<') ? text : JSON.parse(text) };
    } catch {
      return { status: 0, body: undefined };
    }
  }

  register = (address: string) =>
    this.call(address, 'POST', '/api/v1/users/register', this.credentials);

  login = (address: string, password = this.credentials.password) =>
    this.call(address, 'POST', '/api/v1/auth/login', { ...this.credentials, password });

  create = (address: string, key: string): Promise<Ending> =>
    this.call(
      address,
      'POST',
      '/api/v1/projects',
      { title: key, description: 'x'.repeat(200) },
      key,
    );

  /** The titles of this person's projects, which are the keys they were created with. */
  async titles(address: string): Promise<string[]> {
    const { status, body } = await this.call(address, 'GET', '/api/v1/projects');
    if (status !== 200)
      throw new Error(`The list was answered with ${status}: is the session lost?`);
    return (body as { title: string }[]).map(({ title }) => title);
  }

  async settle(address: string): Promise<this> {
    const endings = [await this.register(address), await this.login(address)];
    if (endings.some(({ status }) => status >= 300 || status === 0)) {
      throw new Error(`Nobody could sign in: ${JSON.stringify(endings)}`);
    }
    return this;
  }
}

/** What a person was promised, by 201, and what they asked for without an answer. */
export interface Promised {
  kept: string[];
  unanswered: string[];
}

/** Creates projects, one after the other in each of `streams`, until `until` is aborted. */
export async function createUntil(
  until: AbortSignal,
  person: Person,
  addresses: string[],
  streams: number,
  onKept: (count: number) => void = () => {},
): Promise<Promised> {
  const promised: Promised = { kept: [], unanswered: [] };
  await Promise.all(
    Array.from({ length: streams }, async (_, i) => {
      while (!until.aborted) {
        const key = randomUUID();
        const { status } = await person.create(addresses[i % addresses.length]!, key);
        if (status === 201) promised.kept.push(key);
        else promised.unanswered.push(key);
        if (status === 201) onKept(promised.kept.length);
      }
    }),
  );
  return promised;
}
