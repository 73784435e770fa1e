import type { Check } from './check.ts';
import { describeResponse, explainInvalidJson } from '../describe.ts';
import { type Exchange, headerValue } from '../http/client.ts';
import { isClientError, isSuccess, isUtf8, parseJson, statusOf } from '../http/response.ts';
import { makeOrdinaryVisit } from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import { speaksTls } from '../target.ts';
import { fail, failIfAny, problem, type Problem } from '../verdict.ts';

/** Comes first: without it nothing else is worth asking. */
export const basePathCheck: Check = {
  id: 'REACH-1',
  level: 'MUST',
  title: 'The API answers below /api/v1',
  requirement:
    'The four calls are /api/v1/auth/login, /api/v1/users/register and /api/v1/projects (GET and POST), at the root of the origin.',
  statements: ['CALL-1', 'CONST-1', 'CONST-4'],
  async run(context) {
    const browser = context.newBrowser('first visitor');
    const list = await browser.send('GET', '/api/v1/projects', { isAppRequest: true });
    if (!list.response) {
      const isHttps = context.origin.startsWith('http:') && (await speaksTls(context.origin));
      const hint = isHttps
        ? ` This is https: give ${context.origin.replace('http:', 'https:')} as the address.`
        : '';
      fail(`GET /api/v1/projects: ${describeResponse(list)}.${hint}`, [list]);
    }
    if (!isMissing(list)) return;
    const email = context.fixtures.email('nobody');
    const login = await browser.send('POST', '/api/v1/auth/login', {
      json: { email, password: context.fixtures.password('nobody') },
    });
    if (!isMissing(login)) return;
    if (isPage(list) && isSuccess(list)) {
      fail(
        'GET /api/v1/projects is answered with an HTML page and 200: this is a web server (or the development server of an app) that shows its page at every address, and no API. Is the backend on another port?',
        [list, login],
        'an empty list: "No projects to show."',
      );
    }
    const elsewhere = await firstElsewhere(context);
    const hint = elsewhere
      ? ` ${elsewhere} answers, so the base path /api/v1 is missing.`
      : ' Is this the backend, and is it the right port?';
    fail(
      `There is nothing at /api/v1: GET /api/v1/projects is answered with ${describeResponse(list)}.${hint}`,
      [list, login],
      'red banner: "Internal Server Error", whatever they do',
    );
  },
};

export const reachChecks: Check[] = [
  {
    id: 'REACH-2',
    level: 'MUST',
    title: 'Answers are JSON and say so',
    requirement:
      'Content-Type: application/json (or application/problem+json for a refusal) on every answer with a body.',
    statements: ['CALL-2'],
    async run(context) {
      await makeOrdinaryVisit(context);
      const found = new Map<string, Problem>();
      for (const exchange of calls(context)) {
        const { response, request } = exchange;
        if (response!.text.trim() === '' || isRedirect(exchange)) continue;
        const type = headerValue(response!, 'content-type');
        if (type === undefined) continue;
        if (!/^(application|text)\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
          found.set(
            `${request.method} ${request.path} ${type}`,
            problem(
              `${request.method} ${request.path} is answered with the content type "${type}".`,
              [exchange],
            ),
          );
        } else if (parseJson(response!.text) === undefined) {
          found.set(
            `${request.method} ${request.path} no JSON`,
            problem(
              `${request.method} ${request.path} says "${type}" and its body is no JSON${explainInvalidJson(exchange)}: ${describeResponse(exchange)}.`,
              [exchange],
            ),
          );
        }
      }
      failIfAny([...found.values()]);
    },
  },
  {
    id: 'REACH-3',
    level: 'MUST',
    title: 'Nothing below /api/v1 redirects',
    requirement:
      'A refusal is a status from 400 to 499. A browser follows a redirect by itself: the app gets whatever page is there, as if it were the answer.',
    statements: ['CALL-1', 'CHOICE-11'],
    async run(context) {
      await makeOrdinaryVisit(context);
      const found = new Map<string, Problem>();
      for (const exchange of calls(context).filter(isRedirect)) {
        const { method, path } = exchange.request;
        const to = headerValue(exchange.response!, 'location') ?? 'nowhere';
        found.set(
          `${method} ${path}`,
          problem(
            `${method} ${path} is answered with ${statusOf(exchange)}, a redirect to ${to}.`,
            [exchange],
            'what the app makes of the page that the redirect leads to',
          ),
        );
      }
      failIfAny([...found.values()]);
    },
  },
  {
    id: 'REACH-4',
    level: 'SHOULD',
    title: 'An unknown address below /api is no page of the app',
    requirement:
      "Serve the app's page for its own addresses, and 404 for what is unknown below /api: a page with 200 hides every mistake in an address.",
    statements: ['CALL-1', 'CALL-2'],
    async run(context) {
      const exchange = await context
        .newBrowser('stranger')
        .send('GET', '/api/v1/no-such-thing-either');
      if (isSuccess(exchange))
        fail(`An address that does not exist is answered with ${describeResponse(exchange)}.`, [
          exchange,
        ]);
    },
  },
  {
    id: 'REACH-5',
    level: 'MUST',
    title: 'Every call comes to an end',
    requirement:
      'Each call gets a whole answer. The app sets no time limit: while none comes, the button stays busy.',
    statements: ['CONST-3', 'CHOICE-12'],
    async run(context) {
      await makeOrdinaryVisit(context);
      const found = new Map<string, Problem>();
      for (const exchange of context.http.exchanges.filter(
        (each) => each.isAppRequest && each.failure,
      )) {
        const { method, path } = exchange.request;
        const { kind, message } = exchange.failure!;
        const sees =
          kind === 'timeout'
            ? method === 'GET'
              ? '"Loading projects…", for good'
              : 'the button stays busy, for good'
            : method === 'GET'
              ? 'an empty list: "No projects to show."'
              : 'red banner: "Internal Server Error" (nothing at all when registering)';
        found.set(
          `${method} ${path} ${kind}`,
          problem(`${method} ${path}: ${message}.`, [exchange], sees),
        );
      }
      failIfAny([...found.values()]);
    },
  },
  {
    id: 'REACH-6',
    level: 'MUST',
    title: 'Bodies are UTF-8',
    requirement: 'The app reads every body as UTF-8, whatever charset the content type names.',
    statements: ['CALL-2', 'ENTITY-1'],
    async run(context) {
      await makeOrdinaryVisit(context);
      const faulty = calls(context).find(({ response }) => !isUtf8(response!.bytes));
      if (faulty)
        fail(
          `${faulty.request.method} ${faulty.request.path} is answered with bytes that are no UTF-8 (content type "${headerValue(faulty.response!, 'content-type') ?? 'none'}").`,
          [faulty],
          'question marks in place of letters',
        );
    },
  },
  {
    id: 'REACH-7',
    level: 'SHOULD',
    title: 'Bodies begin with JSON, and not with a byte order mark',
    requirement: 'JSON is sent without a byte order mark; many readers of JSON refuse it.',
    statements: ['CALL-2'],
    async run(context) {
      await makeOrdinaryVisit(context);
      const marked = calls(context).find(({ response }) =>
        response!.bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])),
      );
      if (marked)
        fail(
          `The answer to ${marked.request.method} ${marked.request.path} begins with a byte order mark.`,
          [marked],
        );
    },
  },
  {
    id: 'REACH-8',
    level: 'SHOULD',
    title: 'No cache between may keep the list',
    requirement:
      'A list that belongs to a person is sent with Cache-Control: no-store or private; "public", or a time to keep it, hands it to whoever comes next through the same proxy.',
    statements: ['PROJECTS-7', 'CHOICE-47'],
    async run(context) {
      const { browser } = await context.signedInUser('ada');
      const { exchange } = await browser.listProjects();
      const control = exchange.response && headerValue(exchange.response, 'cache-control');
      if (control && /public|s-maxage/i.test(control))
        fail(`The list of a person is sent with "Cache-Control: ${control}".`, [exchange]);
    },
  },
  {
    id: 'REACH-9',
    level: 'SHOULD',
    title: 'Every answer with a body names its content type',
    requirement: 'Content-Type: application/json.',
    statements: ['CALL-2'],
    async run(context) {
      await makeOrdinaryVisit(context);
      const bare = calls(context).find(
        ({ response }) =>
          response!.text.trim() !== '' && headerValue(response!, 'content-type') === undefined,
      );
      if (bare)
        fail(
          `${bare.request.method} ${bare.request.path} is answered with a body and no Content-Type.`,
          [bare],
        );
    },
  },
  {
    id: 'REACH-10',
    level: 'SHOULD',
    title: 'Lists and new projects come within a second',
    requirement:
      'Whoever opens the projects or creates one waits for the answer, and sees nothing but that it is busy.',
    statements: ['CONST-3', 'CHOICE-12'],
    async run(context) {
      await makeOrdinaryVisit(context);
      const found = [];
      for (const method of ['GET', 'POST']) {
        const times = calls(context).filter(
          ({ request, browserName }) =>
            request.method === method &&
            request.path === '/api/v1/projects' &&
            !browserName.startsWith('tess'),
        );
        // The quickest: that a machine is busy now and then is no fault of the backend.
        const [quickest] = times.toSorted((one, two) => one.durationMs - two.durationMs);
        if (!quickest || quickest.durationMs < 1000) continue;
        const seconds = (quickest.durationMs / 1000).toFixed(1);
        found.push(
          problem(
            `${method} /api/v1/projects takes ${seconds} s and more, each of ${times.length} times.`,
            [quickest],
            method === 'GET'
              ? `"Loading projects…" for ${seconds} s`
              : `a busy button for ${seconds} s`,
          ),
        );
      }
      failIfAny(found);
    },
  },
];

/** What the app itself would send, and got an answer to. */
const calls = ({ http }: RunContext) =>
  http.exchanges.filter(({ isAppRequest: own, response }) => own && response);

const isRedirect = (exchange: Exchange) =>
  statusOf(exchange) >= 300 && statusOf(exchange) < 400 && statusOf(exchange) !== 304;

const isPage = ({ response }: Exchange) => /^\s*<(!doctype|html)/i.test(response?.text ?? '');

/** Nobody who knows the API answers like this. */
const isMissing = (exchange: Exchange) =>
  (statusOf(exchange) === 404 && !('message' in Object(parseJson(exchange.response?.text)))) ||
  [405, 501, 502].includes(statusOf(exchange)) ||
  (isPage(exchange) && !isClientError(exchange));

async function firstElsewhere(context: RunContext): Promise<string | undefined> {
  for (const path of ['/projects', '/api/projects', '/v1/projects']) {
    const exchange = await context.newBrowser('first visitor').send('GET', path);
    if (
      exchange.response &&
      parseJson(exchange.response.text) !== undefined &&
      statusOf(exchange) !== 404
    )
      return path;
  }
  return undefined;
}
