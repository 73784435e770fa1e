import type { Exchange } from '../../http/record.ts';
import { eachText, sharesText } from '../../http/project-texts.ts';
import { isSuccess, messageOf, parseJson } from '../../http/response.ts';
import { describeStatus } from '../../problems/describe.ts';
import type { Problem } from '../../problems/problem.ts';
import { isSameProject } from '../../requests/lists.ts';
import type { Project } from '../../../machines/types.ts';

type Claim = [
  words: RegExp,
  /** Compares the words with the requests of the problem, of which the last one is decisive. */
  isTrue: (match: RegExpExecArray, last: Exchange, problem: Problem) => boolean,
];

/** Returns whether the last list lacks the project of which a problem says so. */
function isMissing({ lacks, exchanges }: Problem): boolean {
  const lists = exchanges.map(({ response }) => parseJson(response?.text)).filter(Array.isArray);
  const rows = lists.at(-1)?.map((row): Project => Object(row));
  return lacks !== undefined && rows?.some(isSameProject(lacks)) === false;
}

function isTwice(create: Exchange, list: Exchange): boolean {
  const sent = Object(parseJson(String(create.request.body))) as Partial<Project>;
  const rows = parseJson(list.response?.text) as Project[];
  return rows.filter((row) => sharesText(row, sent)).length > 1;
}

const bodyOf = ({ response }: Exchange) => response?.text.trim() ?? '';

/** Returns the lengths of the texts of a project, or of those of a list. */
const textLengths = ({ response }: Exchange) =>
  [parseJson(response?.text)]
    .flat()
    .flatMap((project) =>
      Object.values(Object(project)).map((text) => Array.from(String(text)).length),
    );

/** What a sentence of the report may claim, and what shows that it is true. */
const claims: Claim[] = [
  // The only words of the kit for a status, before any other words of a sentence.
  [/\bstatus \d{3}\b/, ([status], last) => status === describeStatus(last)],
  [/\brefused\b/, (_, { response }) => response !== undefined],
  [/^Signing in .*fails/, (_, { request }) => request.path.endsWith('/login')],
  [/no response within|response that/, (_, { response }) => !response],
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
  [/ sees "undefined"/, () => false],
  [/refused for the header/, (_match, _last, { plain }) => isSuccess(plain as Exchange)],
  // A plain twin has "x" for each letter.
  [/ after the project "x+ ?"/, () => false],
  [/ twice in the next list/, (_match, last, { exchanges: [create] }) => isTwice(create!, last)],
  [/\blacks\b/, (_match, _last, problem) => isMissing(problem)],
  [/\bcut at (\d+) characters/, ([, length], last) => textLengths(last).includes(Number(length))],
  [
    /^A list( with more than 100 projects)? takes/,
    ([, isLong], last) => (parseJson(bodyOf(last)) as Project[]).length > 100 === Boolean(isLong),
  ],
  [
    / takes ([\d.]+) s \(median of/,
    ([, seconds], last) => (last.durationMs / 1000).toFixed(1) === seconds,
  ],
];

/** What has no special property: the texts of the fixtures, and what checks add to passwords. */
const plainTexts: Record<string, RegExp> = {
  email: /^[a-z\d.]+@kit\.example\.org$/,
  password: /^(wrong-)?Kx*it-[\da-f]{10}-2!(\?|-other)?$/,
  ...eachText(() => /^[a-z\d ]+$/i),
};

const isPlain = ({ request: { body = '{}' } }: Exchange) =>
  Object.entries(Object(parseJson(String(body))) as object).every(([name, value]) =>
    plainTexts[name]?.test(String(value)),
  );

/** Returns a sentence about a special request whose plain twin was not judged. */
export function listBareClaims({ description, exchanges, plain }: Problem): string[] {
  return exchanges.slice(-1).every(isPlain) || plain ? [] : [description];
}

/** Returns the sentences of a problem that its own requests refute. */
export function listFalseClaims(problem: Problem): string[] {
  const { description, detail = '', exchanges, lacks } = problem;
  const last = exchanges.at(-1);
  const isFalse = (sentence: string) =>
    claims.some(([words, isTrue]) => {
      const match = words.exec(sentence);
      return match && last && !isTrue(match, last, problem);
    });
  const isRefuted = lacks !== undefined && !isMissing(problem);
  return [description, detail].filter(
    (each) => isFalse(each) || (isRefuted && each === description),
  );
}
