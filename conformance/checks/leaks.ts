import type { Check } from './check.ts';
import { triggerError, errorCases } from './errors.ts';
import type { Exchange } from '../http/client.ts';
import { encodedForms } from '../http/secrets.ts';
import { makeOrdinaryVisit } from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import { failIfAny, problem, type Problem } from '../verdict.ts';

/** Where code tells where it failed: JavaScript, Python, Java and Kotlin, C#, Go, Ruby, PHP, Rust. */
const traces =
  /\bat [\w.$<>[\] ]{1,99} \(?(?:file:\/\/|node:|\/|[A-Z]:\\)[^\s)]{1,200}:\d+|Traceback \(most recent call last\)|File "[^"]{1,200}", line \d+|\bat [\w.$]{1,200}\([\w$]{1,99}\.(?:java|kt|scala):\d+\)|\bat [\w.`<>]{1,200}\([^)]{0,200}\) in \S{1,200}:line \d+|goroutine \d+ \[|\.rb:\d+:in [`']|#\d+ \/?[\w/.-]{1,200}\.php\(\d+\)|panicked at |\/[\w.-]{1,99}\.(?:js|ts|py|go|php|rs):\d+:\d+/;

/** Characters of a refusal that are looked at: nobody writes longer ones, and what people typed can be as long as they like. */
const lookedAt = 20_000;

/** What databases and their drivers say. */
const internals =
  /SQLSTATE|SQLITE_|sqlite3\.|ER_DUP_ENTRY|E11000|UNIQUE constraint failed|duplicate key value violates|syntax error at or near|psycopg2|ORA-\d{5}|PrismaClient|Sequelize\w+Error|TypeError: |ReferenceError: |NullPointerException|KeyError: |undefined method|ECONNREFUSED|no such table/;

export const leakChecks: Check[] = [
  {
    id: 'LEAK-1',
    level: 'MUST',
    title: 'No body has a stack trace in it',
    requirement:
      'What failed and where belongs in the log. People read the message of a body on the screen.',
    statements: ['ERROR-1', 'ERROR-5'],
    run: (context) =>
      lookFor(context, ({ response }) => {
        const found =
          response!.status >= 400
            ? traces.exec(unescaped(response!.text.slice(0, lookedAt)))?.[0]
            : undefined;
        return found && `has a stack trace in its body: "${found.slice(0, 80)}"`;
      }),
  },
  {
    id: 'LEAK-2',
    level: 'MUST',
    title: 'No body has a password in it',
    requirement:
      'A password comes in and never leaves again: not in the answer to registering, not in an error, not as a hash.',
    statements: ['CALL-6', 'CALL-7', 'ENTITY-3'],
    run: (context) =>
      lookFor(context, ({ request, response }) => {
        const typed = passwordIn(request.body);
        if (
          typed &&
          typed.length >= 7 &&
          encodedForms(typed).some((form) => response!.text.includes(form))
        )
          return 'repeats the password that was sent';
        const key =
          /"(\w*(?:password|passwd|pwd)_?(?:hash|digest|bcrypt)?)"\s*:\s*"[^"]{8,}"/i.exec(
            response!.text,
          );
        return key && response!.status < 300 ? `has "${key[1]}" in its body` : undefined;
      }),
  },
  {
    id: 'LEAK-3',
    level: 'SHOULD',
    title: 'No body speaks of the database or of the code',
    requirement:
      'A message is for the person at the screen. Names of tables, drivers and exceptions mean nothing to them, and much to others.',
    statements: ['ERROR-1', 'ERROR-5'],
    run: (context) =>
      lookFor(context, ({ response }) => {
        const found =
          response!.status >= 400
            ? internals.exec(response!.text.slice(0, lookedAt))?.[0]
            : undefined;
        return found && `speaks of the inside: "${found}"`;
      }),
  },
];

async function lookFor(context: RunContext, fault: (exchange: Exchange) => string | undefined) {
  await makeOrdinaryVisit(context);
  for (const situation of errorCases) await triggerError(context, situation).catch(() => undefined);
  const found = new Map<string, Problem>();
  for (const exchange of context.http.exchanges.filter(({ response }) => response)) {
    const { method, path } = exchange.request;
    const what = fault(exchange);
    if (what)
      found.set(
        `${method} ${path}`,
        problem(`The answer ${exchange.response!.status} to ${method} ${path} ${what}.`, [
          exchange,
        ]),
      );
  }
  failIfAny([...found.values()]);
}

function passwordIn(body: string | Buffer | undefined): string | undefined {
  return /"password":"((?:[^"\\]|\\.)*)"/.exec(String(body ?? ''))?.[1];
}

const unescaped = (text: string) => text.replaceAll('\\n', '\n').replaceAll('\\"', '"');
