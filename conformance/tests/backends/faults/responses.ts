import { gzipSync } from 'node:zlib';
import { withHeaders, type Change } from '../backend.ts';
import * as change from '../changes.ts';
import { neverRespond, noResponse, type BackendResponse } from '../stub-server.ts';
import { untilQuiet, type TestClock } from '../test-clock.ts';

/** Responds so, or as before, to each request after a registration that is refused with 409. */
const sinceConflict =
  (respond: (clock: TestClock) => BackendResponse | false): Change =>
  (_backend, clock) => {
    let hasFailed = false;
    return change.respond(async (request, next) => {
      const failure = hasFailed && respond(clock);
      if (failure) return failure;
      const response = await next(request);
      hasFailed ||= response.status === 409;
      return response;
    });
  };

/** Sends a part of a body, and then closes the connection. */
const sentInPart = ({ status, headers, body }: BackendResponse, end: number): BackendResponse => ({
  status,
  headers,
  body,
  write(response) {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    response.write(body.slice(0, end), () => response.destroy());
  },
});

/** Faults of responses to several operations, which several groups of checks find. */
export const responseFaults: Record<string, Change> = {
  'ERR-1: all bodies are compressed without a Content-Encoding header': change.responses(
    (response) => ({
      ...response,
      body: gzipSync(response.body),
    }),
  ),
  'REACH-3: signed-out users are redirected to a page': change.responses((response, { path }) => {
    if (path === '/login') return change.htmlPage(200, 'Please sign in');
    return (
      response.status === 401 &&
      path.endsWith('/projects') && { status: 302, headers: { location: '/login' }, body: '' }
    );
  }),
  'REACH-3: signed-out users are redirected to an address that is not there': change.responses(
    (response, { path }) =>
      response.status === 401 &&
      path.endsWith('/projects') && { status: 302, headers: { location: '/no-page' }, body: '' },
  ),
  'ERR-17: every unknown address has the HTML page of the app': change.unknownRequests(
    change.htmlPage(200, 'Tracker App'),
  ),
  'REACH-5: responses to POST claim gzip for an uncompressed body': change.responses(
    (response, { method }) =>
      method === 'POST' && withHeaders(response, { 'content-encoding': 'gzip' }),
  ),
  'SIGNIN-1: a wrong password is never answered': (_backend, clock) => ({
    refuseLogin: () => neverRespond(clock),
  }),
  'REACH-5: no request gets a response after the registration of an existing email': sinceConflict(
    (clock) => neverRespond(clock),
  ),
  'ERR-20: each request fails after the registration of an existing email': sinceConflict(() =>
    change.error(500),
  ),
  'ERR-20: each request waits for a lock after the registration of an existing email':
    sinceConflict((clock) => {
      clock.increment(1000);
      return withHeaders(change.error(503), { 'retry-after': '1' });
    }),
  'REACH-10: a list of more than 100 projects takes two seconds': (_backend, clock) =>
    change.responsesTo('listProjects', 200, ({ body }) => {
      if ((JSON.parse(String(body)) as unknown[]).length > 100) clock.increment(2000);
    }),
  'REACH-10: each fourth project takes six seconds': ({ createProject }, clock) => {
    let count = 0;
    return {
      createProject(call) {
        if (++count % 4 === 0) clock.increment(6000);
        return createProject(call);
      },
    };
  },
  'ERR-20: one of five workers fails after the registration of an existing email': () => {
    let count = 0;
    return sinceConflict(() => ++count % 5 === 0 && change.error(500));
  },
  'ERR-20: creating fails after fifty projects': () => {
    let count = 0;
    return change.refuse('createProject', 500, () => ++count > 50);
  },
  'ERR-20: each project fails after the title "0"': () => {
    let isLocked = false;
    return change.refuse('createProject', 500, ({ title }) => (isLocked ||= title === '0'));
  },
  'REACH-5: the body of a long list ends after a part': change.responsesTo(
    'listProjects',
    200,
    (response) => response.body.length > 2000 && sentInPart(response, 1000),
  ),
  'PROJECT-2: a new project is shorter than its Content-Length': change.responsesTo(
    'createProject',
    201,
    (response) => sentInPart({ ...response, body: `${String(response.body)}     ` }, -5),
  ),
  'REACH-2: a long list and its Content-Length are cut': change.responsesTo(
    'listProjects',
    200,
    (response) =>
      response.body.length > 2000 && { ...response, body: response.body.slice(0, 1000) },
  ),
  'REACH-6: bodies are encoded as Latin-1': change.responses((response) => ({
    ...withHeaders(response, { 'content-type': 'application/json; charset=iso-8859-1' }),
    body: Buffer.from(String(response.body), 'latin1'),
  })),
  'REACH-11: a proxy in front of the backend asks for a password': change.requests(() => ({
    status: 401,
    headers: { 'content-type': 'text/plain', 'www-authenticate': 'Basic realm="staging"' },
    body: 'Authorization Required',
  })),
  'REACH-11: a filter in front of the backend refuses every POST with a page': change.requests(
    ({ method }) => method === 'POST' && change.htmlPage(403, 'Forbidden'),
  ),
  'ERR-1: refusals are HTML pages': change.refusals(({ status }) =>
    change.htmlPage(status, 'Refused'),
  ),
  'ERR-5: refusals of registrations have no body': change.responses(({ status }, request) => {
    const isRefused = status >= 400 && change.isOperation(request, 'registerUser');
    return isRefused && { status, headers: {}, body: '' };
  }),
  'ERR-20: every second list fails': () => {
    let count = 0;
    return change.refuse('listProjects', 500, () => ++count % 2 === 0);
  },
  'TEXT-2: an emoji in a project causes a 500 with an HTML page': change.requestsTo(
    'createProject',
    ({ body }) =>
      /\p{Extended_Pictographic}/u.test(body) && change.htmlPage(500, 'Internal Server Error'),
  ),
};

/** Other faults of responses. */
export const otherResponseFaults: Record<string, Change> = {
  'REACH-14: a connection without a request keeps a new one waiting': (_backend, clock) =>
    change.requests(
      ({ headers, hasUnused }) =>
        headers['connection'] === 'close' && hasUnused() && neverRespond(clock),
    ),
  'REACH-14: a list whose client has left keeps its place of fifteen': () => {
    let freePlaces = 15;
    return change.respond(async (request, next) => {
      if (!change.isOperation(request, 'listProjects')) return next(request);
      if (freePlaces === 0) return change.error(500);
      freePlaces -= 1;
      await untilQuiet();
      if (request.hasLeft()) return noResponse;
      freePlaces += 1;
      return next(request);
    });
  },
  'PROJECT-1: a compressed list is empty': change.responsesTo(
    'listProjects',
    200,
    (response, { headers }) =>
      /gzip/.test(String(headers['accept-encoding'])) &&
      withHeaders({ ...response, body: '' }, { 'content-encoding': 'gzip' }),
  ),
  'REACH-2: a warning stands before each list': change.responsesTo(
    'listProjects',
    200,
    (response) => ({ ...response, body: `<b>Warning</b>: old\n${String(response.body)}` }),
  ),
  'REACH-13: JSON is sent as text/html': change.responses((response) =>
    withHeaders(response, { 'content-type': 'text/html; charset=utf-8' }),
  ),
  "REACH-8: a user's list is public to caches": change.responsesTo(
    'listProjects',
    200,
    (response) => withHeaders(response, { 'cache-control': 'public, max-age=60' }),
  ),
  'REACH-10: signing in takes three seconds': ({ login }, clock) => ({
    login(call) {
      clock.increment(3000);
      return login(call);
    },
  }),
};
