import { gzipSync } from 'node:zlib';
import {
  changeCreateResponse,
  changeListResponse,
  changeWrongPasswordResponse,
  createFaults,
  interceptRequests,
  interceptResponses,
  isOperation,
  sessionOf,
  withBody,
  withHeaders,
  type FaultTable,
} from '../fault-builders.ts';
import { closedConnection, neverRespond } from '../fault-proxy.ts';

/** Faults of headers, encodings, durations and connections. */
export const responseFaults: FaultTable[] = [
  createFaults(interceptResponses, {
    'the server sends JSON as text/html [REACH-2]': (response) =>
      withHeaders(response, { 'content-type': 'text/html; charset=utf-8' }),
    'Content-Length counts characters in place of bytes [REACH-2]': (response) => {
      const text = String(response.body);
      return withBody(response, Buffer.from(text).subarray(0, text.length));
    },
    'responses to POST claim gzip for an uncompressed body [REACH-5]': (response, { method }) =>
      method === 'POST' && withHeaders(response, { 'content-encoding': 'gzip' }),
    'bodies begin with a byte order mark [REACH-7]': (response) =>
      withBody(response, `\uFEFF${String(response.body)}`),
    'responses have no Content-Type header [REACH-9]': (response) =>
      withHeaders(response, { 'content-type': undefined }),
    'all bodies are compressed without a Content-Encoding header [REACH-2]': (response) =>
      withBody(response, gzipSync(response.body)),
  }),
  createFaults(interceptRequests, {
    'a proxy in front of the backend asks for a password [REACH-11]': () => ({
      status: 401,
      headers: { 'content-type': 'text/plain', 'www-authenticate': 'Basic realm="staging"' },
      body: 'Authorization Required',
    }),
    'a filter in front of the backend refuses every POST with a page [REACH-11]': ({ method }) =>
      method === 'POST' && {
        status: 403,
        headers: { 'content-type': 'text/html' },
        body: '<h1>Forbidden</h1>',
      },
  }),
  createFaults(changeListResponse, {
    'the list is compressed without a Content-Encoding header [REACH-2]': (response) =>
      withBody(response, gzipSync(response.body)),
    'the list is encoded as UTF-16 [REACH-2]': (response) =>
      withBody(response, Buffer.from(String(response.body), 'utf16le')),
    'the list ends before its Content-Length [REACH-5]': (response) => ({
      ...response,
      write(serverResponse) {
        const length = Buffer.byteLength(response.body) + 100;
        serverResponse.writeHead(200, {
          'content-type': 'application/json',
          'content-length': length,
        });
        serverResponse.write(response.body, () => serverResponse.destroy());
      },
    }),
    "a user's list is public to caches [REACH-8]": (response) =>
      withHeaders(response, { 'cache-control': 'public, max-age=60' }),
  }),
  {
    'the server never answers a wrong password [REACH-5]': (clock) =>
      changeWrongPasswordResponse(() => neverRespond(clock)),
    'createProject closes the connection [REACH-5]': () =>
      changeCreateResponse(() => closedConnection),
    'signing in takes three seconds [REACH-10]': (clock) => async (request, next) => {
      if (isOperation(request, 'login')) clock.increment(3000);
      return next(request);
    },
    'signing in takes six seconds [REACH-10]': (clock) => async (request, next) => {
      const response = await next(request);
      if (isOperation(request, 'login')) clock.increment(6000);
      return response;
    },
    'createProject takes longer the more projects there are [REACH-10]': (clock) => {
      const counts = new Map<string, number>();
      let inFlight = 0;
      return async (request, next) => {
        if (!isOperation(request, 'createProject')) return next(request);
        inFlight += 1;
        const response = await next(request);
        const count = (counts.get(sessionOf(request)) ?? 0) + 1;
        counts.set(sessionOf(request), count);
        if (inFlight === 1) clock.increment(count * 15);
        inFlight -= 1;
        return response;
      };
    },
    'createProject takes longer than a second [REACH-10]': (clock) => async (request, next) => {
      const response = await next(request);
      if (isOperation(request, 'createProject')) clock.increment(1050);
      return response;
    },
  },
];
