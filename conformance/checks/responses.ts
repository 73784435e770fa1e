import { isUtf8 } from 'node:buffer';
import type { Call } from '../../model/calls.ts';
import { findCall } from '../../model/requests.ts';
import { laterTimeoutMs } from '../http/patience.ts';
import type { Exchange, Stop } from '../http/record.ts';
import {
  isClientError,
  methodAndPath,
  isRedirect,
  isSuccess,
  parseJson,
  responseHeader,
  statusOf,
} from '../http/response.ts';
import { generalCause, refusalCause } from '../problems/causes.ts';
import { countIn, describeStatus, inSeconds } from '../problems/describe.ts';
import { atOnceRequirement } from '../problems/fail-on-faults.ts';
import { explainInvalidJson } from '../problems/matchers.ts';
import { createProblem, fail, failIfAny, type Problem } from '../problems/problem.ts';
import { failedCreate } from '../requests/creates.ts';
import { unshown } from '../requests/lists.ts';
import { isListPublic } from '../requests/visitors.ts';
import { must, should, type Check } from './check.ts';
import { collectExchanges, inspectVisit } from './inspectors.ts';

/** The calls whose time REACH-10 measures, of others and of lena, who has over 100 projects. */
const timings: [subject: string, call: Call, isBesideMany: boolean][] = [
  ['A list with more than 100 projects', 'listProjects', true],
  ['Creating a project beside more than 100 others', 'createProject', true],
  ['A list', 'listProjects', false],
  ['Creating a project', 'createProject', false],
  ['Signing in', 'login', false],
  ['Registering', 'registerUser', false],
];

const callOf = ({ request: { method, path } }: Exchange) => findCall(method, path)?.call;

export const responseChecks: Check[] = [
  must('REACH-2', {
    title: 'Response bodies are JSON',
    requirement:
      'Send JSON to its end, escape control characters, count bytes in Content-Length, and write nothing before the JSON.',
    statements: ['CALL-2'],
    after: ['REACH-6'],
    inspects: true,
    run: inspectVisit(
      (exchange) => {
        if (!exchange.response || hasEmptyBody(exchange) || isRedirect(exchange)) return undefined;
        // ERR-20 reports a failure of the backend, whose body is often a page.
        if (statusOf(exchange) >= 500 || isUnreadByApp(exchange)) return undefined;
        return parseJson(exchange.response.text) === undefined
          ? `has a body that is not JSON${explainInvalidJson(exchange)}`
          : undefined;
      },
      undefined,
      refusalCause,
    ),
  }),
  should('REACH-13', {
    title: 'JSON is declared as JSON',
    requirement:
      'Send Content-Type: application/json (or application/problem+json for errors). The app reads any type, but a browser that opens text/html runs the scripts in a text.',
    statements: ['CALL-2'],
    after: ['REACH-2'],
    inspects: true,
    run: inspectVisit((exchange) => {
      const type = responseHeader(exchange, 'content-type') ?? 'application/json';
      const isJson = parseJson(exchange.response?.text) !== undefined;
      return isJson && !/^(application|text)\/([\w.-]+\+)?json\s*(;|$)/i.test(type)
        ? `has the content type "${type}"`
        : undefined;
    }),
  }),
  must('REACH-3', {
    title: 'No redirect changes a request or leads out of the API',
    requirement:
      'Accept a right request with 2xx and reject a wrong one with 4xx. A browser follows a redirect by itself, and the app gets the page there as if it were the response.',
    statements: ['CALL-1', 'CHOICE-11'],
    after: ['REACH-11'],
    inspects: true,
    run: inspectVisit(
      (exchange) =>
        isRedirect(exchange) && !leadsToApi(exchange)
          ? `redirects to ${responseHeader(exchange, 'location') ?? 'nowhere'}`
          : undefined,
      () => 'the effect of reading the page at that address as a response',
      (_, subject) => ({ words: 'kinds of requests are redirected', subject }),
    ),
  }),
  must('REACH-5', {
    title: 'Every request gets a complete response',
    requirement: 'Complete every response, because the app has no request timeout.',
    statements: ['CONST-3', 'CHOICE-12'],
    after: ['REACH-1'],
    inspects: true,
    async run(context) {
      failIfAny(context.http.stops.map(describeStop));
      await inspectVisit(
        (each) => (each.failure ? `gets ${describeStatus(each)}` : undefined),
        undefined,
        generalCause,
      )(context);
    },
  }),
  must('REACH-6', {
    title: 'Response bodies are UTF-8',
    requirement: 'Encode every body as UTF-8. The app ignores the charset of the content type.',
    statements: ['CALL-2', 'ENTITY-1'],
    after: ['REACH-3'],
    inspects: true,
    run: inspectVisit(
      (exchange) =>
        exchange.response &&
        !isUtf8(exchange.response.bytes) &&
        !isUnreadByApp(exchange) &&
        !endsInCharacter(exchange) &&
        explainInvalidJson(exchange) === ''
          ? 'has a body that is not UTF-8'
          : undefined,
      () => 'question marks instead of letters',
    ),
  }),
  should('REACH-8', {
    title: 'Shared caches may not store the list',
    requirement:
      'Send the list of a user with Cache-Control: no-store or private. With "public" or "s-maxage", a proxy may serve it to other users.',
    statements: ['PROJECTS-7', 'CHOICE-47'],
    after: ['SIGNIN-15'],
    inspects: true,
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
  should('REACH-10', {
    title: 'Lists and new projects arrive within a second, and sign-ins within two',
    requirement: 'Respond in that time, because the user sees only a busy screen meanwhile.',
    statements: ['CONST-3', 'CHOICE-12'],
    after: ['SIGNIN-15'],
    inspects: true,
    async run(context) {
      const all = await collectExchanges(context);
      const exchanges = all.filter((each) => each.isAppRequest && isSuccess(each));
      const isOfLena = ({ person }: Exchange) => person === 'lena';
      const others = exchanges.filter((each) => !isOfLena(each));
      // Before her first long list, lena creates several projects at a time.
      const isLong = ({ response }: Exchange) => Object(parseJson(response?.text)).length > 100;
      const start = exchanges.findIndex(isLong);
      const ofLena = start < 0 ? [] : exchanges.slice(start).filter(isOfLena);
      const slow = timings.map(([subject, call, isBesideMany]) => {
        const sorted = (isBesideMany ? ofLena : others)
          .filter((each) => callOf(each) === call)
          .toSorted((a, b) => a.durationMs - b.durationMs);
        const median = sorted[Math.floor(sorted.length / 2)];
        const limitMs = call === 'login' || call === 'registerUser' ? 2000 : 1000;
        if (!median || median.durationMs < limitMs) return undefined;
        const seconds = (median.durationMs / 1000).toFixed(1);
        return createProblem(
          `${subject} takes ${seconds} s (median of ${sorted.length} requests).`,
          [median],
          {
            userSees: `${call === 'listProjects' ? '"Loading projects…"' : 'a busy button'} for ${seconds} s`,
          },
        );
      });
      // A few late responses of many leave the median short, and end the requests all the same.
      const late = timings.map(([subject, call, isBesideMany], index) => {
        const own = exchanges.filter((each) => callOf(each) === call);
        const isLate = ({ durationMs }: Exchange) => durationMs >= laterTimeoutMs;
        const { found, words } = countIn(own, isLate);
        if (isBesideMany || slow[index] || found.length === 0) return undefined;
        if (!context.http.hangs(methodAndPath(found[0]!.request))) return undefined;
        return createProblem(
          `${subject} takes ${inSeconds(laterTimeoutMs)} or longer in ${words} requests.`,
          found.slice(-1),
          { requirement: atOnceRequirement },
        );
      });
      failIfAny([...slow, ...late]);
    },
  }),
];

/** Runs last, because a backend that does not meet it may respond to no later request. */
export const lastChecks: Check[] = [
  must('REACH-14', {
    title: 'A client that leaves before its response, or sends nothing, keeps nothing',
    requirement:
      'Release what a request holds (a connection of the pool, a lock, a count) also if its client closes the connection: in a finally block, or with its scope. Users close tabs.',
    statements: ['CONST-3', 'CHOICE-12'],
    after: ['REACH-5'],
    inspects: true,
    async run(context) {
      const { browser } = await context.newSession('bob');
      const list = await browser.listProjects();
      if (!list.outcome.ok) throw unshown(list);
      const beside = await context.http.sendBesideUnused(list.exchange.request, unusedMs);
      if (beside.failure?.isTimeout)
        fail(
          `While a browser keeps a connection open without a request, a list gets no response in ${unusedMs / 1000} s.`,
          [list],
          {
            requirement:
              'Serve several connections at once, and hold no thread for one without a request. Browsers open one in advance.',
          },
        );
      let number = 0;
      const create = () =>
        browser.createProject(context.fixtures.project(`of a client that leaves, ${number++}`));
      for (const send of [() => browser.listProjects(), create]) {
        const plain = await send();
        if (!plain.outcome.ok)
          throw plain.operation === 'createProject' ? failedCreate(plain) : unshown(plain);
        const { request, durationMs } = plain.exchange;
        // All together take a slow backend a few seconds.
        const count = Math.min(leavingClients, Math.ceil(leavingMs / durationMs));
        await Promise.all(Array.from({ length: count }, () => context.http.leave(request)));
        await context.http.clock.sleep(leftMs);
        let after = await send();
        const isFailed = () => !after.outcome.ok && !isClientError(after.exchange);
        // Their requests may still run.
        if (isFailed()) await context.http.clock.sleep(leavingMs);
        if (isFailed()) after = await send();
        const response = describeStatus(after.exchange);
        if (isFailed())
          fail(`After clients left before their response, the next one gets ${response}.`, [
            plain,
            after,
          ]);
      }
    },
  }),
];

/** More than the connections of a usual pool, and of its overflow. */
const leavingClients = 24;
const leavingMs = 4000;
const unusedMs = 10_000;
/** In which a server notices that. */
const leftMs = 500;

/** Names the request that a server did not survive, or else the last that it answered. */
function describeStop({ last, broken, refused, durationMs }: Stop): Problem {
  const [only, ...others] = broken;
  const when =
    only && others.length === 0
      ? `at ${methodAndPath(only.request)}`
      : !only && refused.failure?.isResent
        ? `at ${methodAndPath(refused.request)}, or just before it`
        : `after it answered ${last ? methodAndPath(last.request) : 'nothing'}`;
  const duration = durationMs === undefined ? '' : `, and is back after ${inSeconds(durationMs)}`;
  return createProblem(
    `The backend stops ${when}${duration}.`,
    [last, ...broken, others.length > 0 || !only ? refused : undefined],
    {
      detail: others.length > 0 ? `${broken.length} requests at once got no response.` : undefined,
      cause: { words: 'times, the backend stops', subject: when },
      lasting: [only ?? refused],
    },
  );
}

/** Returns whether the browser follows a redirect to a response that the app can read. */
const leadsToApi = ({ request, next }: Exchange): boolean =>
  next !== undefined &&
  !isRedirect(next) &&
  parseJson(next.response?.text) !== undefined &&
  (isSuccess(next) ||
    (next.request.method === request.method && next.request.path.startsWith('/api/v1/')));

/** The app needs no body of a sign-in or a registration that succeeds. */
const isUnreadByApp = (exchange: Exchange) =>
  isSuccess(exchange) && /(login|register)$/.test(exchange.request.path);

const hasEmptyBody = ({ response }: Exchange) => response!.text.trim() === '';

/** Returns whether a body is cut off in a character, so that it is no JSON in any encoding. */
const endsInCharacter = ({ response }: Exchange) => (response!.bytes.at(-1) ?? 0) >= 0x80;
