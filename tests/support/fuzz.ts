import { readFileSync } from 'node:fs';
import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { parse } from 'yaml';

/** Sent as it stands: what the contract allows, what it nearly allows, and what it does not. */
interface Shot {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
  /** Whether our cookies go along, and their token. */
  cookies: boolean;
  token: boolean;
}

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

const document = parse(
  readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8'),
) as OpenApi;

/**
 * Sends `runs` requests made from openapi.yaml to a server that trusts X-Forwarded-For of this machine, and counts the statuses.
 * Throws, with the smallest such request, when an answer is a 5xx or not one that the contract allows.
 */
export async function fuzz(address: string, runs: number, seed?: number) {
  const statuses: Record<string, number> = {};
  const agent = new Agent({ keepAlive: true });
  const cookies = new Map<string, string>();
  // Somebody to be signed in as. What is fuzzed may register, sign in and replace the session.
  const someone = { email: 'ada@example.org', password: 'correct horse' };
  for (const path of ['/api/v1/users/register', '/api/v1/auth/login']) {
    const body = Buffer.from(JSON.stringify(someone));
    const headers = { 'content-type': 'application/json' };
    keepCookies(
      await send(address, agent, cookies, { ...shot, method: 'POST', path, headers, body }),
    );
  }

  try {
    await fc.assert(
      fc.asyncProperty(shots(), async (made) => {
        const reply = await send(address, agent, cookies, made);
        keepCookies(reply);
        const name = `${made.method} ${made.path.split('?')[0]}`;
        const key = operations.has(name) ? `${reply.status}` : `${reply.status} elsewhere`;
        statuses[key] = (statuses[key] ?? 0) + 1;
        const faults = faultsOf(name, reply);
        if (faults.length > 0) throw new Error(`${name}: ${faults.join('; ')}`);
      }),
      { numRuns: runs, ...(seed !== undefined && { seed }) },
    );
  } finally {
    agent.destroy();
  }
  return statuses;

  function keepCookies({ headers }: Reply) {
    for (const line of headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
  }
}

const shot: Shot = {
  method: 'GET',
  path: '/',
  headers: {},
  body: undefined,
  cookies: false,
  token: false,
};

/** What about an answer the contract does not allow. */
function faultsOf(name: string, { status, headers, text }: Reply): string[] {
  const answers = operations.get(name)?.answers;
  if (status >= 500) return [`answered with ${status}: ${text}`];
  if (answers && !answers.has(status)) return [`undeclared status ${status}`];
  const isRefusal = status >= 400;
  if (!answers && !isRefusal) return []; // a page
  if (status === 304 || name.startsWith('HEAD')) return text ? [`a body with ${status}`] : [];
  if (!headers['content-type']?.startsWith('application/json')) return [`not JSON: ${text}`];
  const validate = answers?.get(status) ?? refusal;
  if (validate(JSON.parse(text))) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function shots(): Arbitrary<Shot> {
  const known = fc.constantFrom(...operations.values()).chain(({ method, path, headers, body }) =>
    fc.record({
      method: mostly(fc.constant(method), fc.constantFrom(...methods)),
      path: mostly(fc.constant(path), odd(path)),
      headers: headersOf(headers, body !== undefined),
      body: body ? bodies(body) : mostly(fc.constant(undefined), bodies({ type: 'object' })),
      cookies: mostly(fc.constant(true), fc.boolean()),
      token: mostly(fc.constant(true), fc.boolean()),
    }),
  );
  const elsewhere = fc.record({
    method: fc.constantFrom(...methods),
    path: fc.webPath().map((path) => path || '/'),
    headers: headersOf({}, false),
    body: fc.option(
      fc.string().map((text) => Buffer.from(text)),
      { nil: undefined },
    ),
    cookies: fc.boolean(),
    token: fc.boolean(),
  });
  return fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: elsewhere });
}

const methods = ['GET', 'POST', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const odd = (path: string) =>
  fc.oneof(
    fc.webQueryParameters().map((query) => `${path}?${query}`),
    fc.webSegment().map((segment) => `${path}/${segment}`),
    fc.constantFrom(`${path}/`, `/${path}`, `${path}%00`, `${path}%`, path.toUpperCase()),
  );

const headerText = fc
  .string({ unit: fc.integer({ min: 32, max: 255 }).map((code) => String.fromCharCode(code)) })
  .filter(isHeader);

function headersOf(schemas: Record<string, Schema>, hasBody: boolean) {
  const declared = Object.fromEntries(
    Object.entries(schemas)
      // Those of the session go along by themselves, most of the time.
      .filter(([name]) => name !== 'x-xsrf-token')
      .map(([name, schema]) => [name, mostly(valueOf(schema).filter(isHeader), headerText)]),
  );
  const free = fc.record(
    {
      ...declared,
      'x-xsrf-token': headerText,
      origin: fc.constantFrom('null', 'https://elsewhere.example', 'nonsense', ''),
      'sec-fetch-site': fc.constantFrom('same-origin', 'none', 'cross-site', 'nonsense'),
      'accept-encoding': fc.constantFrom('gzip', 'br;q=0', '*', ';;,q=', 'identity'),
      accept: headerText,
      cookie: fc.constantFrom('session=x', '=', 'session', 'session=%', '__proto__=x; ;'),
    },
    { requiredKeys: [] },
  );
  const type = mostly(
    fc.constantFrom('application/json', 'application/json; charset=utf-8'),
    fc.oneof(
      fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', 'application', ''),
      headerText,
    ),
  );
  return fc
    .tuple(mostly(fc.constant({}), free), type, fc.ipV4())
    .map(([headers, contentType, from]): Record<string, string> => ({
      ...headers,
      ...(hasBody && { 'content-type': contentType }),
      // Each from somewhere else, so that the throttle lets most of them through.
      'x-forwarded-for': from,
    }));
}

function isHeader(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e\xa0-\xff]*$/.test(value);
}

function bodies(schema: Schema): Arbitrary<Buffer> {
  const valid = valueOf(schema);
  const keys = Object.keys(schema.properties ?? { key: {} });
  const nearly = fc
    .tuple(
      valid,
      fc.constantFrom(...keys),
      fc.option(fc.jsonValue(), { nil: undefined }),
      fc.dictionary(fc.string(), fc.jsonValue()),
    )
    .map(([value, key, other, more]) => ({ ...more, ...(value as object), [key]: other }));
  const json = fc.oneof(
    { weight: 6, arbitrary: valid },
    { weight: 4, arbitrary: nearly },
    fc.jsonValue(),
  );
  const text = json.map((value) => JSON.stringify(value) ?? '');
  return fc.oneof(
    { weight: 8, arbitrary: text.map((whole) => Buffer.from(whole)) },
    fc
      .tuple(text, fc.nat())
      .map(([whole, cut]) => Buffer.from(whole.slice(0, cut % (whole.length + 1)))),
    text.map((whole) => Buffer.from(whole, 'utf16le')),
    fc.string({ unit: 'binary' }).map((any) => Buffer.from(any)),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  );
}

/** What a schema allows; its limits, and one beyond, more often than chance would have it. */
function valueOf(schema: Schema): Arbitrary<unknown> {
  const { type, properties = {}, minLength = 0, maxLength = 1000 } = resolve(schema);
  switch (type) {
    case 'object':
      return fc.record(
        Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, valueOf(value)])),
      );
    case 'string':
      if (schema.format === 'email') {
        // A few people come again and again.
        return fc.oneof(
          fc.constantFrom('ada@example.org', 'ADA@example.org', 'ben@example.org'),
          fc.emailAddress(),
        );
      }
      return fc.oneof(
        {
          weight: 4,
          arbitrary: fc.string({
            unit: 'grapheme',
            minLength,
            maxLength: Math.min(maxLength, 300),
          }),
        },
        { weight: 3, arbitrary: fc.constant('correct horse') },
        fc.string({ unit: 'binary' }),
        fc.constantFrom('', '\u0000', '\ud83d', '👩‍👩‍👧', '__proto__', "'; --", ' '.repeat(8)),
        fc
          .constantFrom(minLength - 1, minLength, maxLength, maxLength + 1)
          .chain((length) =>
            fc.constantFrom('x', '😀').map((character) => character.repeat(Math.max(0, length))),
          ),
      );
    default:
      return fc.jsonValue();
  }
}

function mostly<T, U>(usual: Arbitrary<T>, otherwise: Arbitrary<U>): Arbitrary<T | U> {
  return fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: otherwise });
}

function send(
  address: string,
  agent: Agent,
  cookies: Map<string, string>,
  made: Shot,
): Promise<Reply> {
  const { hostname, port } = new URL(address);
  const headers: Record<string, string | number> = {
    ...(made.cookies && { cookie: [...cookies].map((cookie) => cookie.join('=')).join('; ') }),
    ...(made.token && { 'x-xsrf-token': cookies.get('XSRF-TOKEN') ?? '' }),
    ...made.headers,
    ...(made.body && { 'content-length': made.body.length }),
  };
  return new Promise((done, fail) => {
    const sent = request(
      { agent, hostname, port, method: made.method, path: made.path, headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const isZipped = response.headers['content-encoding'] === 'gzip' && chunks.length > 0;
          const whole = Buffer.concat(chunks);
          const text = (isZipped ? gunzipSync(whole) : whole).toString();
          done({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
        response.on('error', fail);
      },
    );
    sent.on('error', fail);
    sent.end(made.body);
  });
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  properties?: Record<string, Schema>;
  minLength?: number;
  maxLength?: number;
}

interface OpenApi {
  paths: Record<string, Record<string, OpenApiOperation>>;
}

interface OpenApiOperation {
  parameters?: object[];
  requestBody?: object;
  responses: Record<string, object>;
}

interface Content {
  content?: { 'application/json': { schema: Schema } };
}

function resolve<T extends object>(node: T): T {
  const { $ref } = node as { $ref?: string };
  if (!$ref) return node;
  let found: unknown = document;
  for (const step of $ref.split('/').slice(1)) found = (found as Record<string, unknown>)[step];
  return resolve(found as T);
}

/** A schema in which an object has no keys but the declared ones. */
function closed(schema: Schema): object {
  const { properties, items, ...rest } = resolve(schema) as Schema & { items?: Schema };
  return {
    ...rest,
    ...(items && { items: closed(items) }),
    ...(rest.type === 'object' && {
      additionalProperties: false,
      properties: Object.fromEntries(
        Object.entries(properties ?? {}).map(([key, value]) => [key, closed(value)]),
      ),
    }),
  };
}

function readOperations() {
  const ajv = new Ajv2020({ allowUnionTypes: true });
  addFormats.default(ajv);
  const found = Object.entries(document.paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, { parameters = [], requestBody, responses }]) => {
      const headers = (parameters as { name: string; schema: Schema }[]).map((parameter) => {
        const { name, schema } = resolve(parameter);
        return [name.toLowerCase(), schema] as const;
      });
      const body =
        requestBody && (resolve(requestBody) as Content).content?.['application/json'].schema;
      const answers = Object.entries(responses).map(([status, response]) => {
        const schema = (resolve(response) as Content).content?.['application/json'].schema;
        return [Number(status), ajv.compile(schema ? closed(schema) : false)] as [
          number,
          ValidateFunction,
        ];
      });
      const operation = {
        method: method.toUpperCase(),
        path,
        headers: Object.fromEntries(headers),
        body: body && resolve(body),
        answers: new Map(answers),
      };
      return [`${operation.method} ${path}`, operation] as [string, typeof operation];
    }),
  );
  return new Map(found);
}

const operations = readOperations();
const refusal = new Ajv2020().compile({
  type: 'object',
  required: ['message'],
  additionalProperties: false,
  properties: { message: { type: 'string', minLength: 1 } },
});
