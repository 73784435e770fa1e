import type { Exchange } from '../../http/record.ts';
import { isSuccess, messageOf, parseJson, statusOf } from '../../http/response.ts';
import type { Problem } from '../../problems/problem.ts';

type Claim = [
  words: RegExp,
  /** Compares the words with the requests of the problem, of which the last one is decisive. */
  isTrue: (match: RegExpExecArray, last: Exchange, exchanges: Exchange[]) => boolean,
];

const rowsOf = ({ response }: Exchange): { id?: unknown }[] | undefined => {
  const body = parseJson(response?.text);
  return Array.isArray(body) ? body.map((row) => Object(row) as object) : undefined;
};

const bodyOf = ({ response }: Exchange) => response?.text.trim() ?? '';

/** What a sentence of the report may claim, and what shows that it is true. */
const claims: Claim[] = [
  [/(?:gets|with|:) status (\d+)/, ([, status], last) => statusOf(last) === Number(status)],
  [/\brefused\b/, (_, { response }) => response !== undefined],
  [/^Signing in .*fails/, (_, { request }) => request.path.endsWith('/login')],
  [/no usable response|no response within/, (_, { response }) => !response],
  [/the body is an HTML page/, (_, last) => bodyOf(last).startsWith('<')],
  [/the body is empty/, (_, last) => bodyOf(last) === ''],
  [/the body is not JSON/, (_, last) => parseJson(bodyOf(last)) === undefined],
  [/no "message"|its "message" is/, (_, last) => messageOf(last) === undefined],
  [
    /the body has .*; it has (".*)\./,
    ([, names], last) =>
      names!.split(', ').every((name) => JSON.parse(name) in Object(parseJson(bodyOf(last)))),
  ],
  [/(\d+) of (\d+)/, ([, part, whole]) => Number(part) <= Number(whole)],
  [/[Oo]f (\d+) .*, (\d+) (?:is|are|fails?)\b/, ([, all, some]) => Number(some) <= Number(all)],
  [
    /^The list has (\d+) projects and lacks (\d+) of (\d+)/,
    ([, count, missing, all], last) =>
      rowsOf(last)?.length === Number(count) && Number(missing) >= Number(all) - Number(count),
  ],
  [
    /created project is not in the next list|^A list lacks a project/,
    (_, last, exchanges) => {
      const created = exchanges.findLast(({ request }) => request.method === 'POST')!;
      const { id } = Object(parseJson(created.response?.text)) as { id?: unknown };
      return isSuccess(created) && rowsOf(last)?.some((row) => row.id === id) === false;
    },
  ],
  [
    / takes ([\d.]+) s \(median of/,
    ([, seconds], last) => (last.durationMs / 1000).toFixed(1) === seconds,
  ],
];

/** Returns the sentences of a problem that its own requests refute. */
export function listFalseClaims({ description, detail = '', exchanges }: Problem): string[] {
  const last = exchanges.at(-1);
  return [description, detail].filter((sentence) =>
    claims.some(([words, isTrue]) => {
      const match = words.exec(sentence);
      return match && last && !isTrue(match, last, exchanges);
    }),
  );
}
