import { speaksTls } from '../command/target.ts';
import type { Exchange } from '../http/record.ts';
import {
  isClientError,
  isRedirect,
  isSuccess,
  parseJson,
  responseHeader,
  statusOf,
} from '../http/response.ts';
import type { RunContext } from '../people/run-context.ts';
import { describeResponse, describeStatus } from '../problems/describe.ts';
import { fail } from '../problems/problem.ts';
import { must, type Check } from './check.ts';

export const reachabilityChecks: Check[] = [
  /** Runs first, because without an API no other check can succeed. */
  must('REACH-1', {
    title: 'The API responds under /api/v1',
    requirement:
      'Serve /api/v1/auth/login, /api/v1/users/register and /api/v1/projects (GET and POST) at the root of the origin, without redirects, and let each proxy reach them.',
    statements: ['CALL-1', 'CONST-1', 'CONST-4'],
    after: [],
    async run(context) {
      const { origin, fixtures } = context;
      const browser = context.newBrowser('first visitor');
      const list = await browser.send('GET', '/api/v1/projects', { isAppRequest: true });
      if (!list.response) {
        const isHttps = origin.startsWith('http:') && (await speaksTls(origin));
        fail(
          isHttps
            ? `This is https: give ${origin.replace('http:', 'https:')} as the address.`
            : `GET /api/v1/projects gets ${describeStatus(list)}.`,
          [list],
        );
      }
      const location = responseHeader(list, 'location') ?? '';
      if (isRedirect(list) && origin.startsWith('http:') && location.startsWith('https:'))
        fail(`Requests are redirected: give ${new URL(location).origin}, or redirect none.`, [
          list,
        ]);
      if ([502, 504].includes(statusOf(list)))
        fail(`A proxy does not reach the backend: ${describeStatus(list)}.`, [list]);
      if (!indicatesMissingApi(list) && !isSuccess(list) && statusOf(list) !== 404) return;
      const json = { email: fixtures.email('unknown'), password: fixtures.password('unknown') };
      const login = await browser.send('POST', '/api/v1/auth/login', { json });
      if (!indicatesMissingApi(list) || !indicatesMissingApi(login)) {
        const unknown = await browser.send('GET', '/api/v1/no-such-thing');
        const response = describeResponse(list);
        if ([login, unknown].some((other) => describeResponse(other) !== response)) return;
        fail(`Every address under /api/v1 gets the same response, ${describeStatus(list)}.`, [
          login,
          unknown,
          list,
        ]);
      }
      if (isHtmlPage(list) && isSuccess(list))
        fail(
          'GET /api/v1/projects gets an HTML page: a web server, or an app, not its backend.',
          [login, list],
          { userSees: 'an empty list without a text' },
        );
      const otherPath = await findOtherBasePath(context);
      fail(
        otherPath
          ? `${otherPath} responds, and /api/v1/projects does not: the base path is missing.`
          : `There is no API under /api/v1: GET /api/v1/projects gets ${describeStatus(list)}.`,
        [login, list],
        { userSees: 'red banner: "Internal Server Error" for every request' },
      );
    },
  }),
  must('REACH-11', {
    title: 'Requests of the app reach the API',
    requirement:
      "Let the app's requests through what stands in front of the API: ask for no password, accept the Host and User-Agent of a browser, and exempt /api/v1 from a CSRF protection other than X-XSRF-TOKEN.",
    statements: ['CALL-1', 'CONST-1', 'CONST-4'],
    after: ['XSRF-1'],
    async run(context) {
      const { registration } = await context.tryRegister('ada');
      const refusal = describeResponse(registration.exchange);
      const status = statusOf(registration.exchange);
      if (!isClientError(registration.exchange) || status === 404 || status === 405) return;
      const browser = context.newBrowser('first visitor');
      const unknown = await browser.send('POST', '/api/v1/no-such-thing', { json: {} });
      if (describeResponse(unknown) !== refusal) return;
      const list = await browser.send('GET', '/api/v1/projects');
      const what = describeResponse(list) === refusal ? 'request' : 'POST';
      fail(
        `Every ${what} is refused before the API, at unknown addresses too: ${describeStatus(unknown)}.`,
        [unknown, registration],
        { detail: `The response is ${refusal}.` },
      );
    },
  }),
];

const isHtmlPage = ({ response }: Exchange) => /^\s*<(!doctype|html)/i.test(response?.text ?? '');

const indicatesMissingApi = (exchange: Exchange) =>
  (statusOf(exchange) === 404 && !('message' in Object(parseJson(exchange.response?.text)))) ||
  [405, 501].includes(statusOf(exchange)) ||
  (isHtmlPage(exchange) && !isClientError(exchange));

async function findOtherBasePath(context: RunContext): Promise<string | undefined> {
  for (const path of ['/projects', '/api/projects', '/v1/projects']) {
    const exchange = await context.newBrowser('first visitor').send('GET', path);
    const body = parseJson(exchange.response?.text);
    if (body !== undefined && statusOf(exchange) !== 404) return path;
  }
  return undefined;
}
