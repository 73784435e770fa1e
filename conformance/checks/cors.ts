import type { Exchange } from '../http/record.ts';
import { describeExchangeScreen } from '../problems/describe.ts';
import { accessFault } from '../problems/matchers.ts';
import { failOnFaults } from '../problems/fail-on-faults.ts';
import { fail, skip } from '../problems/problem.ts';
import { isLocalhost } from '../http/simulated-browser.ts';
import { judgeSpecial } from '../problems/special.ts';
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
      const judge = async ({ path, name, method }: Preflight) => {
        const headers = {
          ...headersFrom(origin),
          'access-control-request-method': method ?? 'POST',
          'access-control-request-headers': name,
          accept: '*/*',
        };
        const exchange = await browser.send('OPTIONS', path, { headers });
        const fault = accessFault(exchange, origin);
        const plainFault = method ? fault : 'is refused for the method POST';
        const failure = name ? `is refused for the header ${name}` : plainFault;
        const more = { userSees: screenOf(exchange) };
        return fault ? fail(`OPTIONS ${path} ${failure}.`, [exchange], more) : exchange;
      };
      for (const [path, name] of preflights)
        await judgeSpecial<Preflight, Exchange>({ path, name }, { path }, (each) =>
          each.name ? judge(each) : judgeSpecial(each, { path, method: 'GET' }, judge),
        );
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
      const faultOf = (exchange: Exchange) => accessFault(exchange, origin);
      failOnFaults(exchanges, () => true, faultOf, screenOf);
    },
  }),
  should('CORS-3', {
    title: 'No other origin may read responses',
    requirement:
      'Compare the whole Origin with a list, so that other pages cannot act as a signed-in user.',
    statements: ['CALL-3', 'CHOICE-47'],
    after: ['REACH-6'],
    async run(context) {
      // With cookies: some backends allow each origin only then.
      const browser = (await context.signedInUser('ada')).browser.clone('elsewhere');
      const stranger = ['any origin', 'https://stranger.example'] as const;
      for (const foreign of [stranger, ...originsLike(context.http.appOrigin)])
        await judgeSpecial<readonly [string, string], Exchange>(
          foreign,
          stranger,
          async ([words, origin]) => {
            const options = { headers: headersFrom(origin) };
            const exchange = await browser.send('GET', '/api/v1/projects', options);
            const failure = `A page of ${words} may read responses with the cookies of its visitors.`;
            return accessFault(exchange, origin) ? exchange : fail(failure, [exchange]);
          },
        );
    },
  }),
];

type Preflight = { path: string; name?: string; method?: string };

/** The calls with a body, and the headers that make a browser ask first. */
const preflights = [
  ['/api/v1/auth/login', 'content-type'],
  ['/api/v1/users/register', 'content-type'],
  ['/api/v1/projects', 'content-type'],
  ['/api/v1/projects', 'idempotency-key'],
] as const;

const sameOrigin = 'without --origin, the app and its backend have the same origin';

/** Returns origins that resemble that of the app. A local app may have any scheme and port. */
function originsLike(appOrigin: string): [words: string, origin: string][] {
  const { protocol, hostname, host } = new URL(appOrigin);
  const foreign: [string, string][] = [
    ['no origin (null)', 'null'],
    ["an origin that begins like the app's", `${protocol}//${hostname}.stranger.example`],
  ];
  if (isLocalhost(appOrigin)) return foreign;
  return [
    ...foreign,
    ["an origin that ends like the app's", `${protocol}//stranger${host}`],
    ['another scheme', `${protocol === 'https:' ? 'http' : 'https'}://${host}`],
    ['another port', `${protocol}//${hostname}:7`],
  ];
}

/** Returns the headers that a browser adds to a request of a page of this origin. */
const headersFrom = (origin: string) => ({
  origin,
  referer: `${origin}/`,
  'sec-fetch-site': 'cross-site',
});

/** The browser hides the response from the app. */
const screenOf = (exchange: Exchange) =>
  describeExchangeScreen({ ...exchange, response: undefined });
