import { isUtf8 } from 'node:buffer';
import {
  describeFailureScreen,
  describeResponse,
  explainInvalidJson,
  refusalCause,
} from '../describe.ts';
import type { Exchange } from '../http/client.ts';
import { isClientError, isSuccess, parseJson, responseHeader, statusOf } from '../http/response.ts';
import { isListPublic, makeOrdinaryVisit } from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import { speaksTls } from '../target.ts';
import { fail, failIfAny, failOnFaults, createProblem } from '../verdict.ts';
import { must, should, type Check } from './check.ts';

/** Runs first, because without an API no other check can succeed. */
export const basePathCheck = must('REACH-1', {
  title: 'The API responds under /api/v1',
  requirement:
    'Serve /api/v1/auth/login, /api/v1/users/register and /api/v1/projects (GET and POST) at the root of the origin.',
  statements: ['CALL-1', 'CONST-1', 'CONST-4'],
  async run(context) {
    const { origin, fixtures } = context;
    const browser = context.newBrowser('first visitor');
    const list = await browser.send('GET', '/api/v1/projects', { isAppRequest: true });
    if (!list.response) {
      const isHttps = origin.startsWith('http:') && (await speaksTls(origin));
      const hint = isHttps
        ? ` This is https: give ${origin.replace('http:', 'https:')} as the address.`
        : '';
      fail(`GET /api/v1/projects: ${describeResponse(list)}.${hint}`, [list]);
    }
    if (!indicatesMissingApi(list)) return;
    const json = { email: fixtures.email('unknown'), password: fixtures.password('unknown') };
    const login = await browser.send('POST', '/api/v1/auth/login', { json });
    if (!indicatesMissingApi(login)) return;
    if (isHtmlPage(list) && isSuccess(list))
      fail(
        'GET /api/v1/projects responds with 200 and an HTML page. This is a web server (or the development server of an app) that serves its page at every address. Does the backend use another port?',
        [list, login],
        'an empty list: "No projects to show."',
      );
    const otherPath = await findOtherBasePath(context);
    const hint = otherPath
      ? `${otherPath} responds, so the base path /api/v1 is missing.`
      : 'Is this the backend, and is it the right port?';
    fail(
      `There is no API under /api/v1: GET /api/v1/projects responds with ${describeResponse(list)}. ${hint}`,
      [list, login],
      'red banner: "Internal Server Error" for every request',
    );
  },
});

export const reachabilityChecks: Check[] = [
  must('REACH-2', {
    title: 'Response bodies are JSON and declared as JSON',
    requirement: 'Send Content-Type: application/json (or application/problem+json for errors).',
    statements: ['CALL-2'],
    run: async (context) =>
      failOnFaults(
        await collectAppResponses(context),
        (exchange) => {
          const type = responseHeader(exchange, 'content-type');
          if (hasEmptyBody(exchange) || isRedirect(exchange) || type === undefined)
            return undefined;
          // ERR-20 reports a failure of the backend, whose body is often a page.
          if (statusOf(exchange) >= 500 || isUnreadByApp(exchange)) return undefined;
          if (!/^(application|text)\/([\w.-]+\+)?json\s*(;|$)/i.test(type))
            return `has the content type "${type}"`;
          return parseJson(exchange.response!.text) === undefined
            ? `has the content type "${type}", but the body is not JSON${explainInvalidJson(exchange)}: ${describeResponse(exchange)}`
            : undefined;
        },
        undefined,
        (exchange, address) =>
          isClientError(exchange) ? refusalCause(exchange, address) : undefined,
      ),
  }),
  must('REACH-3', {
    title: 'No redirect leads out of the API',
    requirement:
      'Reject requests with a status 4xx. A browser follows a redirect by itself, and the app gets the page there as if it were the response.',
    statements: ['CALL-1', 'CHOICE-11'],
    async run(context) {
      const exchanges = await collectAppResponses(context);
      failOnFaults(
        exchanges.filter((exchange) => isRedirect(exchange) && !leadsToApi(exchange, exchanges)),
        (exchange) =>
          `redirects to ${responseHeader(exchange, 'location') ?? 'nowhere'} (${statusOf(exchange)})`,
        () => 'the effect of reading the page at that address as a response',
      );
    },
  }),
  should('REACH-4', {
    title: 'An unknown address under /api is not a page of the app',
    requirement:
      "Serve the app's page at the app's own addresses, and respond with 404 to unknown ones under /api. A page with 200 hides a mistyped address.",
    statements: ['CALL-1', 'CALL-2'],
    async run(context) {
      const path = '/api/v1/no-such-thing-either';
      const exchange = await context.newBrowser('stranger').send('GET', path);
      if (isSuccess(exchange))
        fail(`An unknown address responds with ${describeResponse(exchange)}.`, [exchange]);
    },
  }),
  must('REACH-5', {
    title: 'Every request gets a complete response',
    requirement: 'Complete every response, because the app has no request timeout.',
    statements: ['CONST-3', 'CHOICE-12'],
    async run(context) {
      await makeOrdinaryVisit(context);
      const failed = context.http.exchanges.filter((each) => each.isAppRequest && each.failure);
      failOnFaults(
        failed,
        ({ failure }) => `gets no complete response: ${failure!.message}`,
        describeFailureScreen,
      );
    },
  }),
  must('REACH-6', {
    title: 'Response bodies are UTF-8',
    requirement: 'Encode every body as UTF-8. The app ignores the charset of the content type.',
    statements: ['CALL-2', 'ENTITY-1'],
    run: async (context) =>
      failOnFaults(
        await collectAppResponses(context),
        (exchange) =>
          isUtf8(exchange.response!.bytes)
            ? undefined
            : `has a body that is not UTF-8 (content type "${responseHeader(exchange, 'content-type') ?? 'none'}")`,
        () => 'question marks instead of letters',
      ),
  }),
  should('REACH-7', {
    title: 'Response bodies have no byte order mark',
    requirement: 'Send JSON without a byte order mark, because many JSON parsers reject it.',
    statements: ['CALL-2'],
    run: async (context) =>
      failOnFaults(await collectAppResponses(context), ({ response }) =>
        response!.bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))
          ? 'has a body that starts with a byte order mark'
          : undefined,
      ),
  }),
  should('REACH-8', {
    title: 'Shared caches may not store the list',
    requirement:
      'Send the list of a user with Cache-Control: no-store or private. With "public" or "s-maxage", a proxy may serve it to other users.',
    statements: ['PROJECTS-7', 'CHOICE-47'],
    async run(context) {
      const { exchange } = await (await context.signedInUser('ada')).browser.listProjects();
      const cacheControl = responseHeader(exchange, 'cache-control') ?? '';
      const vary = responseHeader(exchange, 'vary') ?? '';
      const isStored = /public|s-maxage=[1-9]/i.test(cacheControl);
      const isSafe = /private|no-store|no-cache|max-age=0/i.test(cacheControl);
      if (isStored && !isSafe && !/cookie|\*/i.test(vary) && !(await isListPublic(context)))
        fail(`The list of a user has "Cache-Control: ${cacheControl}".`, [exchange]);
    },
  }),
  should('REACH-9', {
    title: 'Every response with a body has a content type',
    requirement: 'Send Content-Type: application/json with every body.',
    statements: ['CALL-2'],
    run: async (context) =>
      failOnFaults(await collectAppResponses(context), (exchange) =>
        !hasEmptyBody(exchange) && responseHeader(exchange, 'content-type') === undefined
          ? 'has a body without a Content-Type'
          : undefined,
      ),
  }),
  should('REACH-10', {
    title: 'Lists and new projects arrive within a second, and sign-ins within two',
    requirement: 'Respond in that time, because the user sees only a busy screen meanwhile.',
    statements: ['CONST-3', 'CHOICE-12'],
    async run(context) {
      const successes = (await collectAppResponses(context)).filter(isSuccess);
      const to = (path: string) => successes.filter(({ request }) => request.path === path);
      const responses = to('/api/v1/projects');
      // Of tess, only the long lists count: she creates several projects at a time.
      const isLong = ({ request, response }: Exchange) =>
        request.method === 'GET' && countItems(response) > 100;
      const isOfTess = ({ browserName }: Exchange) => browserName.startsWith('tess');
      const groups = {
        'A list with more than 100 projects': responses.filter(isLong),
        'A list': responses.filter((each) => each.request.method === 'GET' && !isOfTess(each)),
        'Creating a project': responses.filter(
          (each) => each.request.method === 'POST' && !isOfTess(each),
        ),
        'Signing in': to('/api/v1/auth/login'),
        Registering: to('/api/v1/users/register'),
      };
      const slow = Object.entries(groups).map(([subject, exchanges]) => {
        const sorted = exchanges.toSorted((a, b) => a.durationMs - b.durationMs);
        const median = sorted[Math.floor(sorted.length / 2)];
        const limitMs = median?.request.path === '/api/v1/projects' ? 1000 : 2000;
        if (!median || median.durationMs < limitMs) return undefined;
        const seconds = (median.durationMs / 1000).toFixed(1);
        return createProblem(
          `${subject} takes ${seconds} s (median of ${sorted.length} requests).`,
          [median],
          `${median.request.method === 'GET' ? '"Loading projects…"' : 'a busy button'} for ${seconds} s`,
        );
      });
      failIfAny(slow);
    },
  }),
];

/** Returns the responses of an ordinary visit. */
async function collectAppResponses(context: RunContext): Promise<Exchange[]> {
  await makeOrdinaryVisit(context);
  return context.http.exchanges.filter(({ isAppRequest, response }) => isAppRequest && response);
}

/** Returns the length of the array in a body. */
const countItems = (response: Exchange['response']) =>
  Object(parseJson(response?.text)).length ?? 0;

/** Returns whether the browser follows a redirect to a response that the app can read. */
function leadsToApi(redirect: Exchange, exchanges: Exchange[]): boolean {
  const next = exchanges
    .slice(exchanges.indexOf(redirect) + 1)
    .find(({ browserName }) => browserName === redirect.browserName);
  if (!next || isRedirect(next) || parseJson(next.response!.text) === undefined) return false;
  return isSuccess(next) || next.request.method === redirect.request.method;
}

/** The app does not read the body of a successful sign-in. */
const isUnreadByApp = (exchange: Exchange) =>
  isSuccess(exchange) && exchange.request.path === '/api/v1/auth/login';

const hasEmptyBody = ({ response }: Exchange) => response!.text.trim() === '';

const isRedirect = (exchange: Exchange) =>
  statusOf(exchange) >= 300 && statusOf(exchange) < 400 && statusOf(exchange) !== 304;

const isHtmlPage = ({ response }: Exchange) => /^\s*<(!doctype|html)/i.test(response?.text ?? '');

/** Returns whether the response shows that there is no API at this address. */
const indicatesMissingApi = (exchange: Exchange) =>
  (statusOf(exchange) === 404 && !('message' in Object(parseJson(exchange.response?.text)))) ||
  [405, 501, 502].includes(statusOf(exchange)) ||
  (isHtmlPage(exchange) && !isClientError(exchange));

async function findOtherBasePath(context: RunContext): Promise<string | undefined> {
  for (const path of ['/projects', '/api/projects', '/v1/projects']) {
    const exchange = await context.newBrowser('first visitor').send('GET', path);
    const body = parseJson(exchange.response?.text);
    if (body !== undefined && statusOf(exchange) !== 404) return path;
  }
  return undefined;
}
