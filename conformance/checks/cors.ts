import type { RunContext } from '../run-context.ts';
import { describeExchangeScreen, describeResponse } from '../describe.ts';
import type { RequestOptions } from '../http/simulated-browser.ts';
import { isSuccess, responseHeader } from '../http/response.ts';
import type { Exchange } from '../http/client.ts';
import { fail, failOnFaults, skip } from '../verdict.ts';
import type { Verdicts } from './check.ts';

/** Apply only with --origin, when the app is served from another origin than its backend. */
export const corsChecks: Verdicts = {
  async 'CORS-1'(context) {
    const origin = requireAppOrigin(context);
    const exchanges = [];
    for (const [path, names] of [
      ['/api/v1/auth/login', 'content-type'],
      ['/api/v1/users/register', 'content-type'],
      ['/api/v1/projects', 'content-type,idempotency-key'],
    ] as const) {
      const headers = {
        'access-control-request-method': 'POST',
        'access-control-request-headers': names,
        accept: '*/*',
      };
      exchanges.push(await sendFromOrigin(origin, context, 'OPTIONS', path, { headers }));
    }
    const faultOf = (exchange: Exchange) =>
      isSuccess(exchange)
        ? (findAccessFault(exchange, origin) ?? allowedHeadersFault(exchange))
        : `responds with ${describeResponse(exchange)}`;
    failOnFaults(exchanges, faultOf, describeBlockedScreen);
  },
  async 'CORS-2'(context) {
    const origin = requireAppOrigin(context);
    const { fixtures } = context;
    const json = { email: fixtures.email('unknown'), password: fixtures.password('unknown') };
    const exchanges = [
      await sendFromOrigin(origin, context, 'GET', '/api/v1/projects'),
      await sendFromOrigin(origin, context, 'POST', '/api/v1/auth/login', { json }),
    ];
    failOnFaults(exchanges, (exchange) => findAccessFault(exchange, origin), describeBlockedScreen);
  },
  async 'CORS-3'(context) {
    const origin = 'https://stranger.example.org';
    const exchange = await sendFromOrigin(origin, context, 'GET', '/api/v1/projects');
    if (exchange.response && !findAccessFault(exchange, origin))
      fail(
        `A page of ${origin} may read responses with the cookies of its visitors: the backend allows any origin.`,
        [exchange],
      );
  },
};

function requireAppOrigin({ appOrigin }: RunContext): string {
  return appOrigin ?? skip('without --origin, the app and its backend have the same origin');
}

/** Sends a request as the browser does for a page of this origin. */
function sendFromOrigin(
  origin: string,
  context: RunContext,
  method: string,
  path: string,
  probe: RequestOptions = {},
) {
  const ownHeaders = { origin, referer: `${origin}/`, 'sec-fetch-site': 'cross-site' };
  const headers = { ...ownHeaders, ...probe.headers };
  return context.newBrowser('elsewhere').send(method, path, { ...probe, headers });
}

/** Returns what the app shows when the browser hides the response from it. */
const describeBlockedScreen = (exchange: Exchange) =>
  describeExchangeScreen({ ...exchange, response: undefined });

function findAccessFault(exchange: Exchange, origin: string): string | undefined {
  if (!exchange.response) return 'has no response';
  const allowed = responseHeader(exchange, 'access-control-allow-origin');
  if (allowed === undefined) return 'has no Access-Control-Allow-Origin';
  if (allowed === '*')
    return 'has Access-Control-Allow-Origin: *, which browsers reject for requests with cookies';
  if (allowed !== origin) return `allows the origin ${allowed} instead of ${origin}`;
  return responseHeader(exchange, 'access-control-allow-credentials') === 'true'
    ? undefined
    : 'has no Access-Control-Allow-Credentials: true';
}

function allowedHeadersFault(exchange: Exchange): string | undefined {
  const allowed = (responseHeader(exchange, 'access-control-allow-headers') ?? '')
    .toLowerCase()
    .split(/\s*,\s*/);
  const requested = exchange.request.headers['access-control-request-headers']!.split(',');
  const missing = requested.filter((name) => !allowed.includes(name));
  return missing.length > 0 ? `does not allow the header ${missing.join(' and ')}` : undefined;
}
