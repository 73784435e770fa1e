import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ContractOperation, Schema } from '../../shared/contract.ts';
import { replaceParameters } from '../../shared/path-templates.ts';
import { findCall } from '../../model/requests.ts';
import { operations } from '../../testing/contract.ts';
import { CookieClient } from '../../testing/cookie-client.ts';
import { freshDatabase, startServer, storeNames } from '../../testing/server-fixtures.ts';

const cookieHeaders = ['cookie', 'x-xsrf-token'];
const methods = ['GET', 'POST', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

describe.each(storeNames)('on %s', (name) => {
  test('every response to a random request is allowed by the contract', async () => {
    const database = (await freshDatabase(name))();
    const address = await startServer({ database, trustedProxies: ['127.0.0.1'] });
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    // Random requests may register this account again, sign in to it and replace its session.
    const credentials = { email: 'ada@example.org', password: 'correct horse' };
    const client = await new CookieClient(address, credentials).signUp();
    const statuses = new Set<string>();
    const property = fc.asyncProperty(fc.oneof(...operations.map(requestsOf)), async (sent) => {
      const response = await send(client, agent, sent);
      const operationId = findCall(sent.method, sent.path)?.call;
      statuses.add(operationId ? `${response.status}` : `${response.status} elsewhere`);
      expect(violationsIn(sent.method, operationId, response)).toEqual([]);
    });
    await fc.assert(property, { numRuns: 400, seed: 1 });
    // Without each of these, the test would prove little.
    expect([...statuses]).toEqual(
      expect.arrayContaining(['200', '201', '400', '401', '403', '415', '422', '404 elsewhere']),
    );
  });
});

/** A request that is valid, almost valid or invalid. */
type FuzzRequest = ReturnType<typeof requestsOf> extends Arbitrary<infer T> ? T : never;

function requestsOf({ method, path, parameters, body }: ContractOperation) {
  const fullPath = fc
    .webSegment()
    .map((segment) => replaceParameters(path, () => segment || encodeURIComponent('é /')));
  const otherPaths = fc.oneof(
    fc.webPath().map((text) => text || '/'),
    fc.webQueryParameters().map((query) => `${path}?${query}`),
    fc.constantFrom(`${path}/`, `/${path}`, `${path}%00`, `${path}%`, path.toUpperCase()),
  );
  const declared = parameters.filter((parameter) => parameter.in === 'header');
  return fc.record({
    method: usually(fc.constant(method), fc.constantFrom(...methods)),
    path: usually(fullPath, otherPaths),
    headers: usually(fc.constant({}), headers(declared)),
    contentType: usually(
      fc.constantFrom('application/json', 'application/json; charset=utf-8'),
      fc.oneof(fc.constantFrom('text/plain', 'application', ''), headerValues),
    ),
    body: body?.schema
      ? bodies(body.schema)
      : usually(fc.constant(undefined), bodies({ type: 'object' })),
    sends: usually(fc.constant(cookieHeaders), fc.subarray(cookieHeaders)),
    // Different addresses, because the throttle would refuse most requests of one address.
    clientAddress: fc.ipV4(),
  });
}

const headerValues = fc
  .string({ unit: fc.integer({ min: 32, max: 255 }).map((code) => String.fromCharCode(code)) })
  .filter(isHeaderValue);

function headers(
  declared: { name: string; schema: Schema }[],
): Arbitrary<Record<string, string | undefined>> {
  const ofSchema = declared.map(({ name, schema }) => [
    name.toLowerCase(),
    usually(values(schema).filter(isHeaderValue), headerValues),
  ]);
  return fc.record(
    {
      ...Object.fromEntries(ofSchema),
      'x-xsrf-token': headerValues,
      origin: fc.constantFrom('null', 'https://elsewhere.example', 'nonsense', ''),
      'sec-fetch-site': fc.constantFrom('same-origin', 'none', 'cross-site', 'nonsense'),
      'accept-encoding': fc.constantFrom('gzip', 'br;q=0', '*', ';;,q=', 'identity'),
      accept: headerValues,
      cookie: fc.constantFrom('tracker-session=x', '=', 'session', 'session=%', '__proto__=x; ;'),
    },
    { requiredKeys: [] },
  );
}

function isHeaderValue(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e\xa0-\xff]*$/.test(value);
}

function bodies(schema: Schema): Arbitrary<Buffer> {
  const valid = values(schema) as Arbitrary<object>;
  const keys = Object.keys(schema.properties ?? { key: {} });
  const almostValid = fc
    .tuple(valid, fc.constantFrom(...keys), fc.jsonValue(), fc.dictionary(fc.string(), fc.string()))
    .map(([value, key, replacement, extra]) => ({ ...extra, ...value, [key]: replacement }));
  const json = fc
    .oneof({ weight: 6, arbitrary: valid }, { weight: 4, arbitrary: almostValid }, fc.jsonValue())
    .map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 8, arbitrary: json.map((text) => Buffer.from(text)) },
    fc.tuple(json, fc.nat(99)).map(([text, length]) => Buffer.from(text.slice(0, length))),
    json.map((text) => Buffer.from(text, 'utf16le')),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  );
}

/** Returns values of a schema: mostly valid, and often at its limits or one beyond. */
function values(schema: Schema, name = ''): Arbitrary<unknown> {
  const { type, properties = {}, minLength = 0, maxLength = 1000 } = schema;
  if (type === 'object') {
    const members = Object.entries(properties).map(([key, value]) => [key, values(value, key)]);
    return fc.record(Object.fromEntries(members));
  }
  if (type !== 'string') return fc.jsonValue();
  if (name === 'email') {
    // Repeated, so that requests meet existing accounts.
    const known = fc.constantFrom('ada@example.org', 'ADA@example.org', 'ben@example.org');
    return fc.oneof(known, fc.emailAddress());
  }
  const text = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 300) });
  const lengths = fc.constantFrom(minLength - 1, minLength, maxLength, maxLength + 1);
  return fc.oneof(
    { weight: 4, arbitrary: text },
    { weight: 3, arbitrary: fc.constant('correct horse') },
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '\u0000', '\ud83d', '👩‍👩‍👧', '__proto__', "'; --", ' '.repeat(8)),
    lengths.map((length) => '😀'.repeat(Math.max(0, length))),
  );
}

function usually<T, U>(usual: Arbitrary<T>, otherwise: Arbitrary<U>): Arbitrary<T | U> {
  return fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: otherwise });
}

/** Sends a request as it is. `fetch` would normalize the path and refuse some headers. */
async function send(client: CookieClient, agent: Agent, sent: FuzzRequest) {
  const { hostname, port } = new URL(client.address);
  const { method, path, body, contentType, clientAddress } = sent;
  const ofClient = Object.entries(client.cookieHeaders());
  const allHeaders = {
    ...Object.fromEntries(ofClient.filter(([name]) => sent.sends.includes(name))),
    ...sent.headers,
    ...(body && { 'content-length': body.length, 'content-type': contentType }),
    'x-forwarded-for': clientAddress,
  };
  const outgoing = request({ agent, hostname, port, method, path, headers: allHeaders });
  const responded = once(outgoing.end(body), 'response') as Promise<[IncomingMessage]>;
  // The server may close the connection after it has refused a body unread.
  outgoing.on('error', () => {});
  const [response] = await responded;
  const bytes = await buffer(response);
  client.keepCookies(response.headers['set-cookie']);
  const isGzip = response.headers['content-encoding'] === 'gzip' && bytes.length > 0;
  const type = response.headers['content-type'] ?? '';
  return {
    status: response.statusCode ?? 0,
    isJson: type.startsWith('application/json'),
    text: (isGzip ? gunzipSync(bytes) : bytes).toString(),
  };
}

type Response = Awaited<ReturnType<typeof send>>;

/** Returns how a response violates the contract. The server validates bodies of successes. */
function violationsIn(method: string, operationId = '', { status, isJson, text }: Response) {
  const declared = operations.find(({ id }) => id === operationId)?.responses;
  if (status >= 500) return [`answered with ${status}: ${text}`];
  if (declared && !declared.some((response) => response.status === status))
    return [`undeclared status ${status}`];
  if (!declared && status < 400) return []; // a page
  if (status === 204 || status === 304 || method === 'HEAD') {
    return text ? [`a body with ${status}`] : [];
  }
  if (!isJson) return [`not JSON: ${text}`];
  const body = JSON.parse(text) as { message?: unknown };
  if (status < 400) return [];
  const isRefusal = typeof body.message === 'string' && Object.keys(body).length === 1;
  return isRefusal ? [] : [`not only a message: ${text}`];
}
