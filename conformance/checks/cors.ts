import { headerValue, type Exchange } from '../http/client.ts';
import { problem, statusOf, fail, failIfAny, type Check, skip } from './check.ts';

const notAsked = '--origin was not given: the app is served from the origin of its backend';

/** Only with --origin: the app lives on another origin than its backend. */
export const cors: Check[] = [
  {
    id: 'CORS-1',
    level: 'MUST',
    title: 'The preflight of each call is answered',
    needs:
      "OPTIONS with Access-Control-Allow-Origin (the app's origin, not *), Access-Control-Allow-Credentials: true, and the headers content-type and idempotency-key allowed, without asking for a session.",
    statements: ['CALL-3', 'CALL-1'],
    async run(context) {
      const { appOrigin } = context;
      if (!appOrigin) skip(notAsked);
      const found = [];
      for (const [path, wanted] of [
        ['/api/v1/auth/login', ['content-type']],
        ['/api/v1/users/register', ['content-type']],
        ['/api/v1/projects', ['content-type', 'idempotency-key']],
      ] as const) {
        const exchange = await context.newBrowser('elsewhere').send('OPTIONS', path, {
          headers: {
            origin: appOrigin,
            'access-control-request-method': 'POST',
            'access-control-request-headers': wanted.join(','),
            'sec-fetch-site': 'cross-site',
            accept: '*/*',
          },
        });
        const fault =
          statusOf(exchange) < 200 || statusOf(exchange) > 299
            ? `is answered with ${statusOf(exchange)}`
            : (accessFault(exchange, appOrigin) ?? headersFault(exchange, wanted));
        if (fault)
          found.push(
            problem(
              `The preflight of POST ${path} ${fault}.`,
              [exchange],
              'red banner: "Internal Server Error"',
            ),
          );
      }
      failIfAny(found);
    },
  },
  {
    id: 'CORS-2',
    level: 'MUST',
    title: 'The app may read every answer, refusals too',
    needs:
      "Access-Control-Allow-Origin with the app's origin and Access-Control-Allow-Credentials: true on successes and on refusals: without them the app cannot read the message.",
    statements: ['CALL-3', 'ERROR-1'],
    async run(context) {
      const { appOrigin } = context;
      if (!appOrigin) skip(notAsked);
      const headers = { origin: appOrigin, 'sec-fetch-site': 'cross-site' };
      const browser = context.newBrowser('elsewhere');
      const found = [];
      for (const exchange of [
        await browser.send('GET', '/api/v1/projects', { headers }),
        await browser.send('POST', '/api/v1/auth/login', {
          headers,
          json: {
            email: context.fixtures.email('nobody'),
            password: context.fixtures.password('nobody'),
          },
        }),
      ]) {
        const fault = accessFault(exchange, appOrigin);
        if (fault)
          found.push(
            problem(
              `${exchange.request.method} ${exchange.request.path} ${fault}.`,
              [exchange],
              'red banner: "Internal Server Error", whatever the answer says',
            ),
          );
      }
      failIfAny(found);
    },
  },
  {
    id: 'CORS-3',
    level: 'SHOULD',
    title: 'No other origin may read answers',
    needs:
      'Name the origins that are allowed: with any origin allowed and cookies sent, every web page can act for whoever is signed in.',
    statements: ['CALL-3', 'CHOICE-47'],
    async run(context) {
      const stranger = 'https://stranger.example.org';
      const headers = { origin: stranger, 'sec-fetch-site': 'cross-site' };
      const exchange = await context
        .newBrowser('elsewhere')
        .send('GET', '/api/v1/projects', { headers });
      if (exchange.response && !accessFault(exchange, stranger))
        fail(
          `A page of ${stranger} may read answers with the cookies of whoever visits it: any origin is allowed.`,
          [exchange],
        );
    },
  },
];

function accessFault({ response }: Exchange, origin: string): string | undefined {
  if (!response) return 'has no answer';
  const allowed = headerValue(response, 'access-control-allow-origin');
  if (allowed === undefined) return 'has no Access-Control-Allow-Origin';
  if (allowed === '*')
    return 'has Access-Control-Allow-Origin: *, which browsers refuse for calls with cookies';
  if (allowed !== origin) return `allows the origin ${allowed}, and not ${origin}`;
  return headerValue(response, 'access-control-allow-credentials') === 'true'
    ? undefined
    : 'has no Access-Control-Allow-Credentials: true';
}

function headersFault({ response }: Exchange, wanted: readonly string[]): string | undefined {
  const allowed = (headerValue(response!, 'access-control-allow-headers') ?? '')
    .toLowerCase()
    .split(/\s*,\s*/);
  const missing = wanted.filter((name) => !allowed.includes(name));
  return missing.length > 0 ? `does not allow the header ${missing.join(' and ')}` : undefined;
}
