import { once } from 'node:events';
import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { findCall } from '../../model/calls.ts';
import { jsonSchemaOf, operations, type Schema } from './contract.ts';
import { CookieClient } from './cookie-client.ts';

/** A request that is valid, almost valid or invalid. */
interface FuzzRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
  sendsCookies: boolean;
  sendsXsrfToken: boolean;
}

interface RawReply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/**
 * Sends requests generated from the contract and returns how often each status came back. The
 * server must trust X-Forwarded-For from this machine. Throws, with the smallest request found, if
 * a response is a 5xx or not allowed by the contract.
 */
export async function fuzz(address: string, runs: number, seed?: number) {
  const statuses: Record<string, number> = {};
  const agent = new Agent({ keepAlive: true });
  // Fuzzed requests may register this account again, sign in to it and replace its session.
  const credentials = { email: 'ada@example.org', password: 'correct horse' };
  const client = await new CookieClient(address, credentials).signUp();
  try {
    await fc.assert(
      fc.asyncProperty(fuzzRequests(), async (fuzzRequest) => {
        const reply = await send(client, agent, fuzzRequest);
        client.keepCookies(reply.headers['set-cookie']);
        const { method, path } = fuzzRequest;
        const call = findCall(method, path)?.call;
        const key = call ? `${reply.status}` : `${reply.status} elsewhere`;
        statuses[key] = (statuses[key] ?? 0) + 1;
        const violations = violationsIn(method, call, reply);
        if (violations.length > 0) throw new Error(`${method} ${path}: ${violations.join('; ')}`);
      }),
      { numRuns: runs, ...(seed !== undefined && { seed }) },
    );
  } finally {
    agent.destroy();
  }
  return statuses;
}

/** Returns how a reply violates the contract. */
function violationsIn(
  method: string,
  call: string | undefined,
  { status, headers, text }: RawReply,
): string[] {
  const responses = call === undefined ? undefined : endpoints.get(call)?.responses;
  if (status >= 500) return [`answered with ${status}: ${text}`];
  if (responses && !responses.has(status)) return [`undeclared status ${status}`];
  const isRefusal = status >= 400;
  if (!responses && !isRefusal) return []; // a page
  if (status === 204 || status === 304 || method === 'HEAD')
    return text ? [`a body with ${status}`] : [];
  if (!headers['content-type']?.startsWith('application/json')) return [`not JSON: ${text}`];
  const validate = responses?.get(status) ?? validateRefusal;
  if (validate(JSON.parse(text))) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function fuzzRequests(): Arbitrary<FuzzRequest> {
  const toEndpoint = fc
    .constantFrom(...endpoints.values())
    .chain((endpoint) => fc.tuple(fc.constant(endpoint), filledPaths(endpoint.path)))
    .chain(([{ method, headers, body }, path]) =>
      fc.record({
        method: usually(fc.constant(method), fc.constantFrom(...methods)),
        path: usually(fc.constant(path), unusualPaths(path)),
        headers: requestHeaders(headers, body !== undefined),
        body: body ? bodies(body) : usually(fc.constant(undefined), bodies({ type: 'object' })),
        sendsCookies: usually(fc.constant(true), fc.boolean()),
        sendsXsrfToken: usually(fc.constant(true), fc.boolean()),
      }),
    );
  const elsewhere = fc.record({
    method: fc.constantFrom(...methods),
    path: fc.webPath().map((path) => path || '/'),
    headers: requestHeaders({}, false),
    body: fc.option(
      fc.string().map((text) => Buffer.from(text)),
      { nil: undefined },
    ),
    sendsCookies: fc.boolean(),
    sendsXsrfToken: fc.boolean(),
  });
  return fc.oneof({ weight: 9, arbitrary: toEndpoint }, { weight: 1, arbitrary: elsewhere });
}

const methods = ['GET', 'POST', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The paths with a value for each parameter. */
const filledPaths = (path: string) =>
  fc
    .webSegment()
    .map((segment) => path.replaceAll(/\{\w+\}/g, () => segment || encodeURIComponent('é /')));

const unusualPaths = (path: string) =>
  fc.oneof(
    fc.webQueryParameters().map((query) => `${path}?${query}`),
    fc.webSegment().map((segment) => `${path}/${segment}`),
    fc.constantFrom(`${path}/`, `/${path}`, `${path}%00`, `${path}%`, path.toUpperCase()),
  );

const headerValues = fc
  .string({ unit: fc.integer({ min: 32, max: 255 }).map((code) => String.fromCharCode(code)) })
  .filter(isHeaderValue);

function requestHeaders(schemas: Record<string, Schema>, hasBody: boolean) {
  const declared = Object.fromEntries(
    Object.entries(schemas)
      // `sendsXsrfToken` decides about the valid token.
      .filter(([name]) => name !== 'x-xsrf-token')
      .map(([name, schema]) => [name, usually(values(schema).filter(isHeaderValue), headerValues)]),
  );
  const optional = fc.record(
    {
      ...declared,
      'x-xsrf-token': headerValues,
      origin: fc.constantFrom('null', 'https://elsewhere.example', 'nonsense', ''),
      'sec-fetch-site': fc.constantFrom('same-origin', 'none', 'cross-site', 'nonsense'),
      'accept-encoding': fc.constantFrom('gzip', 'br;q=0', '*', ';;,q=', 'identity'),
      accept: headerValues,
      cookie: fc.constantFrom('session=x', '=', 'session', 'session=%', '__proto__=x; ;'),
    },
    { requiredKeys: [] },
  );
  const contentTypes = usually(
    fc.constantFrom('application/json', 'application/json; charset=utf-8'),
    fc.oneof(
      fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', 'application', ''),
      headerValues,
    ),
  );
  return fc
    .tuple(usually(fc.constant({}), optional), contentTypes, fc.ipV4())
    .map(([headers, contentType, clientAddress]): Record<string, string> => ({
      ...headers,
      ...(hasBody && { 'content-type': contentType }),
      // Different addresses, because the throttle would refuse most requests of one address.
      'x-forwarded-for': clientAddress,
    }));
}

function isHeaderValue(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e\xa0-\xff]*$/.test(value);
}

function bodies(schema: Schema): Arbitrary<Buffer> {
  const valid = values(schema);
  const keys = Object.keys(schema.properties ?? { key: {} });
  const almostValid = fc
    .tuple(
      valid,
      fc.constantFrom(...keys),
      fc.option(fc.jsonValue(), { nil: undefined }),
      fc.dictionary(fc.string(), fc.jsonValue()),
    )
    .map(([value, key, replacement, extra]) => ({
      ...extra,
      ...(value as object),
      [key]: replacement,
    }));
  const json = fc
    .oneof({ weight: 6, arbitrary: valid }, { weight: 4, arbitrary: almostValid }, fc.jsonValue())
    .map((value) => JSON.stringify(value) ?? '');
  return fc.oneof(
    { weight: 8, arbitrary: json.map((text) => Buffer.from(text)) },
    fc
      .tuple(json, fc.nat())
      .map(([text, length]) => Buffer.from(text.slice(0, length % (text.length + 1)))),
    json.map((text) => Buffer.from(text, 'utf16le')),
    fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  );
}

/** Returns values of a schema: mostly valid, and often at its limits or one beyond. */
function values({
  type,
  format,
  properties = {},
  minLength = 0,
  maxLength = 1000,
}: Schema): Arbitrary<unknown> {
  if (type === 'object') {
    return fc.record(
      Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, values(value)])),
    );
  }
  if (type !== 'string') return fc.jsonValue();
  if (format === 'email') {
    return fc.oneof(
      // Repeated, so that requests meet existing accounts.
      fc.constantFrom('ada@example.org', 'ADA@example.org', 'ben@example.org'),
      fc.emailAddress(),
    );
  }
  const text = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 300) });
  return fc.oneof(
    { weight: 4, arbitrary: text },
    { weight: 3, arbitrary: fc.constant('correct horse') },
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '\u0000', '\ud83d', '👩‍👩‍👧', '__proto__', "'; --", ' '.repeat(8)),
    fc
      .constantFrom(minLength - 1, minLength, maxLength, maxLength + 1)
      .chain((length) =>
        fc.constantFrom('x', '😀').map((character) => character.repeat(Math.max(0, length))),
      ),
  );
}

function usually<T, U>(usual: Arbitrary<T>, otherwise: Arbitrary<U>): Arbitrary<T | U> {
  return fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: otherwise });
}

/** Sends a request as it is. `fetch` would normalize the path and refuse some headers. */
async function send(
  client: CookieClient,
  agent: Agent,
  { method, path, headers, body, sendsCookies, sendsXsrfToken }: FuzzRequest,
): Promise<RawReply> {
  const { hostname, port } = new URL(client.address);
  const { cookie = '', 'x-xsrf-token': xsrfToken = '' } = client.cookieHeaders();
  const allHeaders = {
    ...(sendsCookies && { cookie }),
    ...(sendsXsrfToken && { 'x-xsrf-token': xsrfToken }),
    ...headers,
    ...(body && { 'content-length': body.length }),
  };
  const outgoing = request({ agent, hostname, port, method, path, headers: allHeaders });
  const responded = once(outgoing.end(body), 'response') as Promise<[IncomingMessage]>;
  // The server may close the connection after it has refused a body unread.
  outgoing.on('error', () => {});
  const [response] = await responded;
  const bytes = await buffer(response);
  const isGzip = response.headers['content-encoding'] === 'gzip' && bytes.length > 0;
  const text = (isGzip ? gunzipSync(bytes) : bytes).toString();
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

/** Returns the schema without undeclared keys in its objects. */
const closed = (schema: Schema): object =>
  JSON.parse(JSON.stringify(schema), (_, node) =>
    node?.type === 'object' ? { ...node, additionalProperties: false } : node,
  );

const endpoints = compileEndpoints();
const validateRefusal = new Ajv2020().compile({
  type: 'object',
  required: ['message'],
  additionalProperties: false,
  properties: { message: { type: 'string', minLength: 1 } },
});

function compileEndpoints() {
  const ajv = new Ajv2020({ allowUnionTypes: true });
  addFormats.default(ajv);
  return new Map(
    operations.map(({ operationId, method, path, parameters = [], requestBody, responses }) => {
      const headers = parameters
        .filter((parameter) => parameter.in === 'header')
        .map(({ name, schema }) => [name.toLowerCase(), schema] as const);
      const validators = Object.entries(responses).map(([status, response]) => {
        const schema = jsonSchemaOf(response);
        return [Number(status), ajv.compile(schema ? closed(schema) : false)] as const;
      });
      const endpoint = {
        method,
        path,
        headers: Object.fromEntries(headers),
        body: jsonSchemaOf(requestBody),
        responses: new Map(validators),
      };
      return [operationId, endpoint] as [string, typeof endpoint];
    }),
  );
}
