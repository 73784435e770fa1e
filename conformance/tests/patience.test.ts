import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpClient } from '../http/client.ts';
import {
  createRestarts,
  createThrottle,
  createTimeouts,
  retryAfterMsOf,
} from '../http/patience.ts';
import { createRecord, type Exchange } from '../http/record.ts';
import { createTransport, type Transport } from '../http/transport.ts';
import { neverRespond, startStubServer } from './backends/stub-server.ts';
import { TestClock } from './backends/test-clock.ts';

const request = { method: 'GET', path: '/', headers: {} };
const sentBy = { browserName: 'ada', person: 'ada', isAppRequest: true, cookies: [] };

test.each([
  [429, { 'retry-after': '3' }, 3000],
  [503, { 'retry-after': '3' }, 3000],
  [429, { 'retry-after': 'Fri, 01 Jan 2100 00:00:10 GMT' }, 10_000],
  [429, { 'retry-after': 'Thu, 31 Dec 2099 00:00:00 GMT' }, 0],
  [429, { 'retry-after': 'soon' }, 1000],
  [429, {}, 1000],
  [503, {}, undefined],
  [200, { 'retry-after': '3' }, undefined],
])('after %i with %o, the kit waits %s ms', (status, headers, expectedMs) => {
  const response = { status, headers: Object.entries(headers), bytes: Buffer.of(), text: '' };
  expect(retryAfterMsOf(response, Date.parse('2100-01-01T00:00:00Z'))).toBe(expectedMs);
});

test('after a stop, nothing is sent', async () => {
  const client = createHttpClient('http://localhost:1', { stop: AbortSignal.abort() });
  const sent = client.send(request, sentBy);
  await expect(sent).rejects.toThrow('the run was stopped');
  expect(client.exchanges).toEqual([]);
});

test('a stop lasts until the server accepts connections again', async () => {
  const record = createRecord();
  const failures = [{ isRefused: true }, { isRefused: true }, undefined];
  const probe = async () => ({ failure: failures.shift() }) as never;
  await createRestarts(new TestClock(), record, probe).untilBackAfter({} as Exchange);
  expect(record.stops.map(({ durationMs }) => durationMs)).toEqual([1500]);
});

test('without --wait, the kit waits 20 s in total, for requests at once together', () => {
  const clock = new TestClock();
  const throttle = createThrottle(clock, createRecord(), false);
  const response = { status: 429, headers: [], bytes: Buffer.of(), text: '' };
  const wait = () => throttle.schedule({ request, response } as unknown as Exchange, 0);
  for (let count = 1; count <= 20; count++, clock.increment(1000)) {
    wait();
    wait();
  }
  expect(wait).toThrow('GET / responds with 429 and no Retry-After');
});

test.each([
  [false, 4],
  [true, 7],
])('with --wait %s, a 503 that comes again after %i waits is a failure', (isPatient, count) => {
  const throttle = createThrottle(new TestClock(), createRecord(), isPatient);
  const mayPass = (attempt: number, status = 503, retryAfter: string | undefined = '1') => {
    const headers: [string, string][] = retryAfter ? [['retry-after', retryAfter]] : [];
    return throttle.mayPass(
      { response: { status, headers, bytes: Buffer.of(), text: '' } },
      attempt,
    );
  };
  for (let attempt = 0; attempt < count; attempt++) expect(mayPass(attempt)).toBe(true);
  expect(mayPass(count)).toBe(false);
  expect(mayPass(0)).toBe(false);
  expect(mayPass(100, 429)).toBe(true);
  // A backend that starts behind a proxy.
  expect([4, 5].map((attempt) => mayPass(attempt, 502, ''))).toEqual([true, false]);
});

test.each([
  [1, true],
  [4, false],
])('twelve requests that take 7 s, %i at once, are called hanging: %s', async (atOnce, hangs) => {
  const clock = new TestClock();
  const transport = { send: async () => ({ response: undefined, failure: undefined }) };
  const timeouts = createTimeouts(clock, transport as unknown as Transport);
  for (let count = 0; count < 12; count += atOnce) {
    const sent = Array.from({ length: atOnce }, () => timeouts.send(request, 'a kind', false));
    clock.increment(7000);
    await Promise.all(sent);
  }
  expect(timeouts.hangs('a kind')).toBe(hangs);
});

test.each([
  [2, true],
  [Infinity, undefined],
])('a 503 that comes %d times is that of a limit: %s', async (times, isThrottled) => {
  let count = 0;
  const { origin, stop } = await startStubServer(() => ({
    status: ++count > times ? 200 : 503,
    headers: { 'retry-after': '1' },
    body: '',
  }));
  onTestFinished(stop);
  const client = createHttpClient(origin, { clock: new TestClock() });
  await client.send(request, sentBy);
  const refused = client.exchanges.filter(({ response }) => response?.status === 503);
  expect(new Set(refused.map((each) => each.isThrottled))).toEqual(new Set([isThrottled]));
});

test.each<Record<string, string>>([{ 'retry-after': '1' }, {}])(
  'a 503 with %o for some texts keeps no other request from being sent',
  async (headers) => {
    const { origin, stop } = await startStubServer(({ body }) => ({
      status: body === 'bad' ? 503 : 200,
      headers,
      body: '',
    }));
    onTestFinished(stop);
    const client = createHttpClient(origin, { clock: new TestClock() });
    const send = (body: string) => client.send({ ...request, method: 'POST', body }, sentBy);
    const statuses = [];
    for (let count = 0; count < 12; count++)
      for (const body of ['bad', 'good']) statuses.push((await send(body)).response?.status);
    expect(new Set(statuses.filter((_, index) => index % 2 === 0))).toEqual(new Set([503]));
    expect(new Set(statuses.filter((_, index) => index % 2 === 1))).toEqual(new Set([200]));
    for (let count = 0; count < 8; count++) await send('bad');
    await expect(send('good')).rejects.toThrow('POST / responds late, with 503 or never');
  },
);

test.each([
  ['gzip', gzipSync],
  ['GZIP', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
])('a body in %s is read as browsers do', async (encoding, encode) => {
  const headers = { 'content-encoding': encoding };
  const sent = { status: 200, headers, body: encode('[1]') };
  const { origin, stop } = await startStubServer(() => sent);
  onTestFinished(stop);
  const { response } = await createTransport(origin, new TestClock(), Infinity).send(request, 5000);
  expect(response?.text).toBe('[1]');
});

test.each([
  [Infinity, { isTimeout: true, kind: 'silence', message: 'no response within 5 s' }],
  [4999, { isLate: true, message: 'the time of the run is over' }],
])('in a run of %s ms, a hanging backend is %o', async (endsAtMs, failure) => {
  const clock = new TestClock();
  const { origin, stop } = await startStubServer(() => neverRespond(clock));
  onTestFinished(stop);
  const result = await createTransport(origin, clock, endsAtMs).send(request, 5000);
  expect(result).toEqual({ response: undefined, failure });
});
