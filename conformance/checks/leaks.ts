import type { Exchange } from '../http/record.ts';
import { encodedVariants } from '../http/secrets.ts';
import { emailOf, hasSucceeded, messageOf, methodAndPath } from '../http/response.ts';
import type { HttpResponse } from '../http/transport.ts';
import { emailDomain } from '../people/fixtures.ts';
import { cookieName, isDeletion, setCookieLines } from '../problems/cookie-faults.ts';
import { truncate } from '../problems/describe.ts';
import { fail } from '../problems/problem.ts';
import { findSessions } from '../requests/session-cookies.ts';
import { must, should, type Check, type Run } from './check.ts';
import { inspectResponses } from './inspectors.ts';

/** Stack traces of JavaScript, Python, Java, C#, Go, Ruby, PHP, Rust, Erlang and Haskell. */
const stackTrace =
  /\bat [\w.$<>[\] ]{1,99} \(?(?:file:\/\/|node:|\/|[A-Z]:\\)[^\s)]{1,200}:\d+|Traceback \(most recent call last\)|File "[^"]{1,200}", line \d+|\bat [\w.$]{1,200}\([\w$]{1,99}\.(?:java|kt|scala):\d+\)|\bat [\w.`<>]{1,200}\([^)]{0,200}\) in \S{1,200}:line \d+|goroutine \d+ \[|\.rb:\d+:in [`']|#\d+ \/?[\w/.-]{1,200}\.php\(\d+\)|panicked at |"file": ?"[^"]{1,200}\.\w{1,5}",\s*"line": ?\d+|\/[\w.-]{1,99}\.(?:js|ts|py|go|php|rs):\d+:\d+|\{file,\s*"|\.(?:exs?|erl|lua|clj):\d+: |CallStack \(from /;

/** Error messages of databases, their drivers, language runtimes and frameworks, and paths. */
const internalError =
  /SQLSTATE|SQLITE_|sqlite3\.|ER_DUP_ENTRY|E11000|constraint failed|\b\w{1,99}::\w{1,99}(?:Error|Exception)\b|duplicate key value violates|syntax error at or near|\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM) ["`\w].{0,200}\b(?:FROM|VALUES|SET|WHERE)\b|psycopg2|ORA-\d{5}|PrismaClient|Sequelize\w+Error|TypeError: |ReferenceError: |NullPointerException|KeyError: |undefined method|ECONNREFUSED|no such table|\bDEBUG = True|\b(?:java\.lang|org\.springframework|django\.\w+)\.|\/(?:home|srv|usr|var|app|opt)\/[\w./-]+\.(?:js|ts|py|rb|php|go|java|p[lm])\b|\bat \S{1,200}\.p[lm] line \d+/;

/** Hashes of passwords; the last one is a cost, a salt and a hash of any form. */
const hash =
  /\$2[abxy]\$\d\d\$[./\w]{53}|\$argon2(?:id|i|d)\$v=\d|\bpbkdf2[_:]sha\d+[$:]\d|\bscrypt:\d+:\d+:\d|\d[$:][\w+/=.]{16,99}[$:][\w+/=.]{32}/;

/** A field with the name of a password or its salt, whose value is no link and not masked. */
const passwordField =
  /"(salt|\w*(?:password|passwd|pwd)_?(?:hash|digest|bcrypt)?)"\s*:\s*"(?!(?:\\.|[^\w"\\])*"|\[|\/|https?:)(?:\\.|[^"\\]){8,}"/i;

/** Enough for any error message. A body that repeats the user's input can be much longer. */
const maxSearchedCharacters = 20_000;

const minCookieLength = 20;

export const leakChecks: Check[] = [
  must('LEAK-1', {
    title: 'No message contains a stack trace',
    requirement: 'Log stack traces. The app shows the message of the body to its users.',
    statements: ['ERROR-1', 'ERROR-5'],
    after: ['REACH-1'],
    inspects: true,
    run: inspectErrors(stackTrace, 'a stack trace', (exchange) =>
      exchange.isAppRequest ? messageOf(exchange) : undefined,
    ),
  }),
  must('LEAK-2', {
    title: 'No body contains a password',
    requirement: 'Never send a password back: not in a success, not in an error, not as a hash.',
    statements: ['CALL-6', 'CALL-7', 'ENTITY-3'],
    after: ['REACH-1'],
    inspects: true,
    run: inspectBodies(({ request }, { status, text }) => {
      const password = /"password":"((?:[^"\\]|\\.)*)"/.exec(String(request.body ?? ''))?.[1] ?? '';
      if (password.length >= 7 && encodedVariants(password).some((form) => text.includes(form)))
        return ['repeats the password of the request'];
      if (hash.test(text)) return ['contains the hash of a password'];
      const key = passwordField.exec(text)?.[1];
      return key && status < 300 ? [`contains "${key}"`] : undefined;
    }),
  }),
  should('LEAK-3', {
    title: 'No body contains internals of the database or the code',
    requirement:
      'Write messages for users, without names of tables, files, drivers or exceptions. Log stack traces, in place of sending them in another field.',
    statements: ['ERROR-1', 'ERROR-5'],
    after: ['LEAK-1'],
    inspects: true,
    run: inspectErrors(
      new RegExp(`${stackTrace.source}|${internalError.source}`),
      'internals',
      ({ response }) => response?.text,
    ),
  }),
  must('LEAK-4', {
    title: 'No response sets the session cookie of another user',
    requirement:
      'Set the cookie in the response to its sign-in. Clear the headers of a response object before its next use, and let no cache store a response with Set-Cookie.',
    statements: ['CHOICE-47', 'CALL-3'],
    after: ['REACH-1'],
    inspects: true,
    async run(context) {
      const names = (await findSessions(context)).flat().map(({ key }) => key);
      const setters = new Map<string, Exchange>();
      const { exchanges } = context.http;
      // A mark is no session: a short cookie, or one that all have, such as that of a mock.
      const lines = exchanges.flatMap(setCookieLines);
      const isMark = (name: string, cookie: string) =>
        lines.every((line) => cookieName(line) !== name || line.startsWith(`${cookie};`));
      for (const exchange of exchanges)
        for (const line of setCookieLines(exchange)) {
          const name = cookieName(line);
          const [cookie = ''] = line.split(';');
          if (!names.includes(name) || cookie.length < minCookieLength) continue;
          if (isDeletion(exchange, line) || isMark(name, cookie)) continue;
          const setter = setters.get(cookie);
          // What a refusal or a registration sets first may be the cookie of a visitor.
          const isOfUser = ['/login', '/projects'].some((path) => hasSucceeded(exchange, path));
          if (!setter && isOfUser) setters.set(cookie, exchange);
          const isOwn =
            exchange.cookies.some(({ value }) => `${name}=${value}` === cookie) ||
            (setter && exchange.browserName === setter.browserName) ||
            (setter && emailOf(exchange) !== undefined && emailOf(exchange) === emailOf(setter));
          if (setter && !isOwn)
            fail(
              `${methodAndPath(exchange.request)} sets the session cookie of another browser.`,
              [setter, exchange],
              {
                userSees: "another user's projects",
                comesAndGoes: true,
                ...(hasSucceeded(exchange, '/login') && madeTwice),
              },
            );
        }
    },
  }),
  must('LEAK-5', {
    title: 'No response to a sign-in or registration has the email of another user',
    requirement:
      'Make each message of its own request, not of a list or a text that requests share.',
    statements: ['ERROR-1', 'CHOICE-47'],
    after: ['REACH-1'],
    inspects: true,
    run: inspectBodies(({ request, person }, { text }) => {
      if (!/\/(auth|users)\//.test(request.path)) return undefined;
      const sent = String(request.body).toLowerCase();
      const searched = text.slice(0, maxSearchedCharacters).toLowerCase();
      const isForeign = ([email]: string[]) =>
        email!.endsWith(`@${emailDomain}`) &&
        !email!.startsWith(`${person}.`) &&
        !sent.includes(email!);
      return [...searched.matchAll(/[\w.]{1,99}@[\w.]{1,99}\w/g)].some(isForeign)
        ? ['has the email of another user']
        : undefined;
    }),
  }),
];

const madeTwice = {
  requirement:
    'Make 128 bits of each session id with the secure generator of the system. One that begins with the time makes an id twice. Set the cookie in the response to its sign-in alone.',
};

/** What is wrong with a body, and what of the body shows it. */
type BodyFault = [words: string, quote?: string];

/** Creates the `run` of a check of the bodies of responses. */
function inspectBodies(
  faultOf: (exchange: Exchange, response: HttpResponse) => BodyFault | undefined,
): Run {
  return inspectResponses(
    (exchange) => {
      const { response } = exchange;
      const [words, quote] = (response && faultOf(exchange, response)) ?? [];
      return words && `gets a body that ${words}${quote === undefined ? '' : `: "${quote}"`}`;
    },
    undefined,
    (exchange, subject) => {
      const [words] = faultOf(exchange, exchange.response!)!;
      return { words: `kinds of requests: each gets a body that ${words}`, subject };
    },
  );
}

/** Finds a pattern in a text of errors. A message may repeat what the user typed. */
function inspectErrors(
  pattern: RegExp,
  name: string,
  textOf: (exchange: Exchange) => string | undefined,
): Run {
  return inspectBodies((exchange, { status }) => {
    const text = textOf(exchange)?.slice(0, maxSearchedCharacters) ?? '';
    const match = pattern.exec(unescaped(text))?.[0];
    const sent = unescaped(String(exchange.request.body));
    if (status < 400 || !match || sent.includes(match)) return undefined;
    return [`contains ${name}`, truncate(match, 25)];
  });
}

const unescaped = (text: string) =>
  text.replaceAll('\\n', '\n').replaceAll('\\t', '\t').replaceAll('\\"', '"');
