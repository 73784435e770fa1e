import type { NewProject } from '../../machines/types.ts';
import { labelOf, textNames, type TextName } from '../http/project-texts.ts';
import { isAlone, type Exchange } from '../http/record.ts';
import { isSuccess, parseJson } from '../http/response.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import type { RunContext } from '../people/run-context.ts';
import { truncate } from '../problems/describe.ts';
import { textFault } from '../problems/matchers.ts';
import { createProblem, fail, failIfAny, type Problem } from '../problems/problem.ts';
import { must, type Check } from './check.ts';

type Values = Partial<Record<TextName | 'id', unknown>>;

/** Shorter texts may be equal by chance. */
const minLength = 12;

const isCreate = ({ request: { method, path } }: Exchange) =>
  method === 'POST' && path === '/api/v1/projects';

const rowsOf = (body: unknown) => [body].flat().map((row): Values => Object(row));

const sentIn = (exchange: Exchange): Values =>
  Object(isCreate(exchange) ? parseJson(String(exchange.request.body)) : undefined);

function textsOf(exchange: Exchange): string[] {
  const sent = sentIn(exchange);
  return textNames.map((name) => String(sent[name]));
}

const keyOf = ({ request }: Exchange) => request.headers['idempotency-key'];

const requirement =
  'Read each request and each row into a variable of its own: not into one that requests share, as a pool, a default argument or the variable of a loop. Join no table that has several rows for a project, such as sessions.';

export const sentTextChecks: Check[] = [
  must('PROJECT-30', {
    title: 'Each project has the texts of its own request, and is in a list once',
    requirement,
    statements: ['ENTITY-1', 'CREATE-2', 'CHOICE-44'],
    after: ['REACH-6'],
    inspects: true,
    async run({ http: { exchanges } }) {
      const findForeignText = createTextSearch(exchanges);
      const createsOf = new Map<string, Exchange[]>();
      let most = { count: 1, list: exchanges[0]! };
      const problems = exchanges.filter(isSuccess).flatMap((exchange) => {
        const rows = rowsOf(parseJson(exchange.response!.text));
        if (isCreate(exchange)) {
          const id = String(rows[0]?.id);
          createsOf.set(id, [...(createsOf.get(id) ?? []), exchange]);
          return rows.map((row) => findForeignText(row, [exchange], exchange));
        }
        const own = rows.filter(({ id }) => createsOf.get(String(id))?.length === 1);
        const texts = own.map((row) => JSON.stringify(row));
        const count = texts.filter((text) => text === texts.at(-1)).length;
        if (count > most.count) most = { count, list: exchange };
        for (const row of own) {
          const problem = findForeignText(row, createsOf.get(String(row.id))!, exchange);
          if (problem) return problem;
        }
        return undefined;
      });
      if (most.count > 1)
        problems.push(
          createProblem(
            `A list has one project ${most.count} times${isAlone(exchanges, most.list) ? '' : ', at once with other requests'}.`,
            [most.list],
          ),
        );
      failIfAny(problems);
    },
  }),
];

/** Creates what finds a text in a project that only another request than its own has sent. */
export function createTextSearch(record: Exchange[]) {
  const senders = new Map(
    record.toReversed().flatMap((each) => textsOf(each).map((text) => [text, each] as const)),
  );
  /** `own` are the requests that may have created the project that `shown` shows. */
  return (project: Values, own: Exchange[], shown: Exchange): Problem | undefined => {
    const ownTexts = own.flatMap(textsOf);
    const name = textNames.find((each) => {
      const text = String(project[each]);
      const isLong = text.length >= minLength && senders.has(text);
      return isLong && !ownTexts.some((sent) => sent.includes(text));
    });
    const sender = name && senders.get(String(project[name]))!;
    // A key may repeat the response to another text, and so may none: PROJECT-31 reports that.
    const isOfKey = (each: Exchange) =>
      keyOf(each) === keyOf(sender!) && (keyOf(each) || each.person === sender!.person);
    if (!sender || own.some(isOfKey)) return undefined;
    const field = labelOf(name);
    const text = truncate(String(project[name]), 40);
    // What was sent may be in the list of its own user, with another id than the response.
    const isForeign = shown.person === sender.person && shown.person !== own[0]!.person;
    const isOtherId =
      isForeign ||
      rowsOf(parseJson(shown.response!.text)).some(
        (row) => row.id !== project.id && row[name] === sentIn(own[0]!)[name],
      );
    const isRepeated = textsOf(own[0]!).some(
      (each) => each.length >= minLength && textsOf(sender).includes(each),
    );
    const description = isOtherId
      ? 'The response to a new project has the id of another project.'
      : `A project ${shown === own[0] ? '' : 'in a list '}has the ${field} of another request.`;
    return createProblem(description, [sender, ...own, shown], {
      detail: `It has "${text}", which ${sender.person} sent for another project.`,
      cause: {
        words: isOtherId
          ? 'responses to new projects have the id of another project'
          : 'projects have the text of another request',
        subject: `the ${field} "${text}"`,
        requirement: isOtherId
          ? 'Respond with the id that the insert of this request returned, not with the newest one.'
          : isRepeated
            ? 'Store each project, also one of which a text is that of another project.'
            : requirement,
      },
    });
  };
}

export function expectSameText(
  { http }: RunContext,
  sent: NewProject,
  actual: { [Name in keyof NewProject]: unknown },
  place: string,
  calls: ApiCall[],
) {
  const exchanges = calls.map((call) => call.exchange);
  const creates = exchanges.filter(({ request }) => request.method === 'POST');
  for (const field of textNames) {
    const [text, received] = [sent[field], actual[field]];
    if (text === undefined || received === text) continue;
    failIfAny([createTextSearch(http.exchanges)(actual, creates, exchanges.at(-1)!)]);
    const other = textNames.find((name) => received === sent[name] && actual[name] === text);
    if (other) fail(`The ${field} and the ${other} are swapped in ${place}.`, calls);
    const { kind, words, inBytes, difference } = textFault(text, received);
    fail(`The ${field} in ${place} is ${words}.`, calls, {
      detail: `It is ${difference}.`,
      userSees: calls.at(-1)!.outcome.ok
        ? `a row that reads "${truncate(String(received))}"`
        : undefined,
      cause: {
        words: `texts are ${words}`,
        otherWords: inBytes && `texts are ${inBytes}`,
        key: `texts are ${kind}`,
        subject: `the ${field} ${JSON.stringify(truncate(text, 20))}`,
      },
    });
  }
}
