import { isUtf8 } from 'node:buffer';
import { findCall, type Call } from '../../model/calls.ts';
import { describeResponse, explainInvalidJson, refusalCause } from '../describe.ts';
import type { Exchange } from '../http/client.ts';
import {
  isClientError,
  isRedirect,
  isSuccess,
  parseJson,
  responseHeader,
  statusOf,
} from '../http/response.ts';
import { isListPublic, makeOrdinaryVisit } from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import { speaksTls } from '../target.ts';
import { createProblem, fail, failIfAny, failOnFaults, type Inspection } from '../verdict.ts';
import type { Run, Verdicts } from './check.ts';

/** The calls whose time REACH-10 measures, of others and of tess, who has over 100 projects. */
const timings: [subject: string, call: Call, isBesideMany: boolean][] = [
  ['A list with more than 100 projects', 'listProjects', true],
  ['Creating a project beside more than 100 others', 'createProject', true],
  ['A list', 'listProjects', false],
  ['Creating a project', 'createProject', false],
  ['Signing in', 'login', false],
  ['Registering', 'registerUser', false],
];

export const reachabilityChecks: Verdicts = {
  /** Runs first, because without an API no other check can succeed. */
  async 'REACH-1'(context) {
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
  async 'REACH-11'(context) {
    const { registration } = await context.tryRegister('ada');
    const refusal = describeResponse(registration.exchange);
    const status = statusOf(registration.exchange);
    if (!isClientError(registration.exchange) || status === 404 || status === 405) return;
    const browser = context.newBrowser('first visitor');
    const unknown = await browser.send('POST', '/api/v1/no-such-thing', { json: {} });
    if (describeResponse(unknown) !== refusal) return;
    const list = await browser.send('GET', '/api/v1/projects');
    const challenge = responseHeader(unknown, 'www-authenticate');
    const header = challenge ? ` and "WWW-Authenticate: ${challenge}"` : '';
    fail(
      `Every ${describeResponse(list) === refusal ? 'request' : 'POST'}, registering and unknown addresses included, gets ${refusal}${header}. It does not reach the API: something in front of it refuses the app, such as a proxy with a password, a check of Host or User-Agent, or CSRF protection.`,
      [unknown, registration],
    );
  },
  async 'REACH-4'(context) {
    const path = '/api/v1/no-such-thing-either';
    const exchange = await context.newBrowser('stranger').send('GET', path);
    if (isSuccess(exchange))
      fail(`An unknown address responds with ${describeResponse(exchange)}.`, [exchange]);
  },
  async 'REACH-5'(context) {
    await makeOrdinaryVisit(context);
    const failed = context.http.exchanges.filter((each) => each.isAppRequest && each.failure);
    failOnFaults(failed, ({ failure }) => `gets no complete response: ${failure!.message}`);
  },
  async 'REACH-8'(context) {
    const { exchange } = await (await context.signedInUser('ada')).browser.listProjects();
    const cacheControl = responseHeader(exchange, 'cache-control') ?? '';
    const vary = responseHeader(exchange, 'vary') ?? '';
    const isStored = /public|s-maxage=[1-9]/i.test(cacheControl);
    const isSafe = /private|no-store|no-cache|max-age=0/i.test(cacheControl);
    if (isStored && !isSafe && !/cookie|\*/i.test(vary) && !(await isListPublic(context)))
      fail(`The list of a user has "Cache-Control: ${cacheControl}".`, [exchange]);
  },
  async 'REACH-10'(context) {
    const exchanges = (await collectAppResponses(context)).filter(isSuccess);
    const isOfTess = ({ browserName }: Exchange) => browserName.startsWith('tess');
    const others = exchanges.filter((each) => !isOfTess(each));
    // Before her first long list, tess creates several projects at a time.
    const isLong = ({ response }: Exchange) => Object(parseJson(response?.text)).length > 100;
    const start = exchanges.findIndex(isLong);
    const ofTess = start < 0 ? [] : exchanges.slice(start).filter(isOfTess);
    const slow = timings.map(([subject, call, isBesideMany]) => {
      const sorted = (isBesideMany ? ofTess : others)
        .filter(({ request }) => findCall(request.method, request.path)?.call === call)
        .toSorted((a, b) => a.durationMs - b.durationMs);
      const median = sorted[Math.floor(sorted.length / 2)];
      const limitMs = call === 'login' || call === 'registerUser' ? 2000 : 1000;
      if (!median || median.durationMs < limitMs) return undefined;
      const seconds = (median.durationMs / 1000).toFixed(1);
      return createProblem(
        `${subject} takes ${seconds} s (median of ${sorted.length} requests).`,
        [median],
        `${call === 'listProjects' ? '"Loading projects…"' : 'a busy button'} for ${seconds} s`,
      );
    });
    failIfAny(slow);
  },
  'REACH-2': inspectVisit(
    (exchange) => {
      const type = responseHeader(exchange, 'content-type');
      if (hasEmptyBody(exchange) || isRedirect(exchange) || type === undefined) return undefined;
      // ERR-20 reports a failure of the backend, whose body is often a page.
      if (statusOf(exchange) >= 500 || isUnreadByApp(exchange)) return undefined;
      if (!/^(application|text)\/([\w.-]+\+)?json\s*(;|$)/i.test(type))
        return `has the content type "${type}"`;
      return parseJson(exchange.response!.text) === undefined
        ? `has the content type "${type}", but the body is not JSON${explainInvalidJson(exchange)}: ${describeResponse(exchange)}`
        : undefined;
    },
    undefined,
    refusalCause,
  ),
  'REACH-3': inspectVisit(
    (exchange) =>
      isRedirect(exchange) && !leadsToApi(exchange)
        ? `redirects to ${responseHeader(exchange, 'location') ?? 'nowhere'} (${statusOf(exchange)})`
        : undefined,
    () => 'the effect of reading the page at that address as a response',
  ),
  'REACH-6': inspectVisit(
    (exchange) =>
      isUtf8(exchange.response!.bytes) ||
      endsInCharacter(exchange) ||
      explainInvalidJson(exchange) !== ''
        ? undefined
        : `has a body that is not UTF-8 (content type "${responseHeader(exchange, 'content-type') ?? 'none'}")`,
    () => 'question marks instead of letters',
  ),
  'REACH-7': inspectVisit(
    ({ response }) =>
      response!.bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))
        ? 'has a body that starts with a byte order mark'
        : undefined,
    () => 'nothing: browsers remove it',
  ),
  'REACH-9': inspectVisit((exchange) =>
    !hasEmptyBody(exchange) && responseHeader(exchange, 'content-type') === undefined
      ? 'has a body without a Content-Type'
      : undefined,
  ),
};

/** Creates a verdict on the responses to an ordinary visit. */
function inspectVisit(...inspection: Inspection): Run {
  return async (context) => failOnFaults(await collectAppResponses(context), ...inspection);
}

/** Returns the responses of an ordinary visit. */
async function collectAppResponses(context: RunContext): Promise<Exchange[]> {
  await makeOrdinaryVisit(context);
  return context.http.exchanges.filter(({ isAppRequest, response }) => isAppRequest && response);
}

/** Returns whether the browser follows a redirect to a response that the app can read. */
const leadsToApi = ({ request, next }: Exchange): boolean =>
  next !== undefined &&
  !isRedirect(next) &&
  parseJson(next.response?.text) !== undefined &&
  (isSuccess(next) || next.request.method === request.method);

/** The app does not read the body of a successful sign-in. */
const isUnreadByApp = (exchange: Exchange) =>
  isSuccess(exchange) && exchange.request.path === '/api/v1/auth/login';

const hasEmptyBody = ({ response }: Exchange) => response!.text.trim() === '';

/** Returns whether a body is cut off in a character, so that it is no JSON in any encoding. */
const endsInCharacter = ({ response }: Exchange) => (response!.bytes.at(-1) ?? 0) >= 0x80;

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
