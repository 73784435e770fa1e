import type { Exchange } from '../http/record.ts';
import { describeExchangeScreen } from '../problems/describe.ts';
import { accessFault } from '../problems/matchers.ts';
import { failOnFaults } from '../problems/fail-on-faults.ts';
import { fail, skip } from '../problems/problem.ts';
import { must, should, type Check } from './check.ts';

/** Apply only with --origin, when the app is served from another origin than its backend. */
export const corsChecks: Check[] = [
  must('CORS-1', {
    title: 'The backend allows the preflight request of each call',
    requirement:
      "Respond to OPTIONS without a session: Access-Control-Allow-Origin with the app's origin (not *), Access-Control-Allow-Credentials: true, Access-Control-Allow-Headers with content-type and idempotency-key.",
    statements: ['CALL-3', 'CALL-1'],
    after: ['REACH-6'],
    async run(context) {
      const origin = context.appOrigin ?? skip(sameOrigin);
      const browser = context.newBrowser('elsewhere');
      const exchanges = [];
      for (const [path, names] of Object.entries({
        '/api/v1/auth/login': 'content-type',
        '/api/v1/users/register': 'content-type',
        '/api/v1/projects': 'content-type,idempotency-key',
      })) {
        const headers = {
          ...headersFrom(origin),
          'access-control-request-method': 'POST',
          'access-control-request-headers': names,
          accept: '*/*',
        };
        exchanges.push(await browser.send('OPTIONS', path, { headers }));
      }
      failOnAccessFaults(exchanges, origin);
    },
  }),
  must('CORS-2', {
    title: 'The app may read every response, errors included',
    requirement:
      "Send Access-Control-Allow-Origin with the app's origin and Access-Control-Allow-Credentials: true on successes and on errors. Otherwise the app cannot read the message.",
    statements: ['CALL-3', 'ERROR-1'],
    after: ['REACH-6'],
    async run(context) {
      const origin = context.appOrigin ?? skip(sameOrigin);
      const { fixtures } = context;
      const json = { email: fixtures.email('unknown'), password: fixtures.password('unknown') };
      const headers = headersFrom(origin);
      const browser = context.newBrowser('elsewhere');
      const exchanges = [
        await browser.send('GET', '/api/v1/projects', { headers }),
        await browser.send('POST', '/api/v1/auth/login', { headers, json }),
      ];
      failOnAccessFaults(exchanges, origin);
    },
  }),
  should('CORS-3', {
    title: 'No other origin may read responses',
    requirement: 'List the allowed origins, so that other pages cannot act as a signed-in user.',
    statements: ['CALL-3', 'CHOICE-47'],
    after: ['REACH-6'],
    async run(context) {
      const origin = 'https://stranger.example.org';
      const options = { headers: headersFrom(origin) };
      // With cookies: some backends allow each origin only then.
      const browser = (await context.signedInUser('ada')).browser.clone('elsewhere');
      const exchange = await browser.send('GET', '/api/v1/projects', options);
      if (!accessFault(exchange, origin))
        fail('A page of any origin may read responses with the cookies of its visitors.', [
          exchange,
        ]);
    },
  }),
];

const sameOrigin = 'without --origin, the app and its backend have the same origin';

/** Returns the headers that a browser adds to a request of a page of this origin. */
const headersFrom = (origin: string) => ({
  origin,
  referer: `${origin}/`,
  'sec-fetch-site': 'cross-site',
});

const failOnAccessFaults = (exchanges: Exchange[], origin: string) =>
  failOnFaults(
    exchanges,
    () => true,
    (exchange) => accessFault(exchange, origin),
    // The browser hides the response from the app.
    (exchange) => describeExchangeScreen({ ...exchange, response: undefined }),
  );
