import { isUtf8 } from 'node:buffer';
import type { NewProject, Project } from '../../machines/types.ts';
import {
  charactersOf,
  describeMessageFault,
  describeResponse,
  describeType,
  explainInvalidJson,
  refusalCause,
  truncate,
} from '../describe.ts';
import { isClientError, isSuccess, parseJson, statusOf } from '../http/response.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import {
  createFirstProject,
  describeCreateFailure,
  hasSameId,
  listOrBlock,
  missingFromList,
} from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import { Blocked, fail, skip, type Cause } from '../verdict.ts';
import { must, type Check } from './check.ts';

export const textChecks: Check[] = [
  textCheck('TEXT-1', 'MUST', 'Markup is preserved', ['ENTITY-1', 'CREATE-2', 'PROJECTS-6'], {
    title: '<b>Bold</b> & "quoted" \'plan\' &amp; <script>alert(1)</script>',
    description: '<p>1 < 2 && 3 > 2</p> &lt;not a tag&gt; <!-- no comment --> </textarea>',
  }),
  textCheck('TEXT-2', 'MUST', 'Emoji and rare characters are preserved', ['ENTITY-1', 'CREATE-2'], {
    title: 'Launch 🚀 family 👩‍👩‍👧‍👦 flag 🇪🇺 𝒳 𠮷',
    description: '🗝️ ‰ € ™ ½ ≠ — “quoted” … 🏳️‍🌈',
  }),
  textCheck(
    'TEXT-3',
    'MUST',
    'All scripts are preserved, right-to-left ones included',
    ['ENTITY-1', 'CREATE-2'],
    {
      title: 'مشروع جديد · פרויקט חדש · Ünïcödé ß Ł ő',
      description: 'プロジェクト · 项目 · проект · έργο · परियोजना \u200Fשלום (abc) עולם\u200E',
    },
  ),
  textCheck('TEXT-4', 'MUST', 'Line breaks are preserved', ['ENTITY-1', 'PROJECTS-3'], {
    title: 'With lines',
    description: 'First line\nSecond line\n\nAfter an empty one\n  indented by two',
  }),
  textCheck('TEXT-5', 'MUST', 'A description of 10 kB is preserved', ['ENTITY-1', 'CHOICE-26'], {
    title: 'With a long description',
    description: `${'All work and no play. '.repeat(465)}The end.`,
  }),
  textCheck('TEXT-6', 'MUST', 'A title of 300 characters is preserved', ['ENTITY-1', 'CHOICE-26'], {
    title: `${'A long title, and more of it: '.repeat(10).slice(0, 299)}!`,
    description: 'Its title has 300 characters.',
  }),
  textCheck(
    'TEXT-7',
    'MUST',
    'Text that looks like a number, a boolean, null or JSON stays text',
    ['ENTITY-1', 'CALL-9'],
    { title: '007', description: 'true' },
    { title: 'null', description: '{"title":"in a title"}' },
    { title: '1e3', description: '2026-02-30' },
  ),
  textCheck(
    'TEXT-8',
    'MUST',
    'Special characters of code and databases are preserved',
    ['ENTITY-1', 'CREATE-2'],
    {
      title: "Robert'); DROP TABLE projects;-- \\ \\n %s ${x} {{x}} %00 ../",
      description: 'C:\\new\\table "quoted" \'single\' `ticks` $1 ? :name @x #{y} null \u2028 NaN',
    },
    {
      title: '1 + 1 = 2, 100%25 & _more_ *of* it',
      description: 'See https://example.org/?a=1+2&b=%2B#top, **soon** :-) [x](y) @ada #12',
    },
  ),
  textCheck(
    'TEXT-9',
    'SHOULD',
    'Outer spaces, tabs and Windows line breaks are preserved',
    ['ENTITY-1', 'CHOICE-25'],
    {
      title: '  between blanks  ',
      description: '\tindented by a tab\r\nand a line break of Windows\r\n  ',
    },
  ),
  textCheck('TEXT-10', 'SHOULD', 'Unicode is not normalized', ['ENTITY-1'], {
    title: 'Cafe\u0301 and Café, Å and Å',
    description: 'ﬁne ① ｆｕｌｌ width\u00a0and\u200bnone',
  }),
  must('TEXT-11', {
    title: 'A description of 100,000 characters is preserved, or rejected with a message',
    requirement: 'The app limits no text. If the backend does, reject longer text with a message.',
    statements: ['CHOICE-26', 'ERROR-5'],
    run: (context) =>
      expectPreserved(context, {
        title: 'With a very long description',
        description: `${'Twenty characters.. '.repeat(4999)}And this is the end.`.slice(0, 100_000),
      }),
  }),
];

function textCheck(
  id: string,
  level: Check['level'],
  title: string,
  statements: string[],
  ...projects: NewProject[]
): Check {
  return {
    id,
    level,
    title,
    requirement:
      'Return text character for character, in the response to creating and in the list, or reject it with a message.',
    statements,
    async run(context) {
      for (const project of projects) await expectPreserved(context, project);
    },
  };
}

async function expectPreserved(context: RunContext, sent: NewProject): Promise<void> {
  const { browser } = await context.signedInUser('tess');
  const create = await browser.createProject(sent);
  const { exchange, outcome } = create;
  const response = describeResponse(exchange);
  if (isClientError(exchange)) {
    const fault = describeMessageFault(exchange);
    if (fault)
      fail(
        `The backend rejects such a project with ${response}, but ${fault}.`,
        [create],
        undefined,
        refusalCause(exchange, `the project "${truncate(sent.title, 40)}"`),
      );
    if ([401, 403].includes(statusOf(exchange))) throw new Blocked(describeCreateFailure(create));
    skip(`the backend rejects such a project with ${response}`);
  }
  if (!isSuccess(exchange))
    fail(`The backend responds to such a project with ${response}.`, [create]);
  const { bytes, text } = exchange.response!;
  const encodingFault = isUtf8(bytes) ? '' : ', and the body is not UTF-8';
  const body = outcome.ok ? outcome.value : parseJson(text);
  if (typeof body !== 'object' || body === null || !('title' in body)) {
    if (!(await createFirstProject(context)).outcome.ok)
      throw new Blocked('the response to creating a project is not a project, see PROJECT-2');
    const expected = body === undefined ? `JSON${explainInvalidJson(exchange)}` : 'a project';
    fail(`The response is not ${expected}${encodingFault}: ${response}.`, [create]);
  }
  const created = body as Project;
  const source = `the response to creating a project${encodingFault}`;
  expectSameText(sent, created, source, [create], outcome.ok === true);
  const { projects, call } = await listOrBlock(browser);
  const listed = projects.find(hasSameId(created));
  if (!listed) throw new Blocked(missingFromList);
  expectSameText(sent, listed, 'the list', [create, call], true);
}

function expectSameText(
  sent: NewProject,
  actual: Partial<NewProject>,
  source: string,
  calls: ApiCall[],
  isShown: boolean,
) {
  for (const key of ['title', 'description'] as const) {
    const change = describeTextChange(sent[key], actual[key]);
    const row = `a row that reads "${truncate(String(actual[key]))}"`;
    if (change)
      fail(
        `The ${key} in ${source} is changed: ${change}.`,
        calls,
        isShown ? row : undefined,
        changeCause(change, `"${truncate(sent[key], 40)}"`),
      );
  }
}

/** Returns what texts that are changed alike have in common. */
const changeCause = (change: string, subject: string): Cause => ({
  words: `texts come back changed (${change.replace(/^its? (is )?|: .*/gs, '')})`,
  subject,
});

/** Returns what the backend did to a text; undefined when it is unchanged. */
function describeTextChange(sent: string, received: unknown): string | undefined {
  if (received === sent) return undefined;
  if (typeof received !== 'string') return `it is ${describeType(received)}`;
  const lengths = `${sent.length} characters sent, ${received.length} received`;
  const hasEntity = /&(lt|gt|amp|quot|#\d+|#x[\da-f]+);/i.test(received) && !sent.includes('&lt;b');
  if (hasEntity && received.length > sent.length)
    return `it is HTML-escaped: ${describeDifference(sent, received)}`;
  if (['NFC', 'NFKC', 'NFD'].some((form) => received === sent.normalize(form)))
    return 'its Unicode is normalized';
  if (received === sent.trim()) return 'it is trimmed';
  if (received.replaceAll('\r\n', '\n') === sent.replaceAll('\r\n', '\n'))
    return 'its line breaks are changed';
  if (received.replace(/\s+/g, ' ').trim() === sent.replace(/\s+/g, ' ').trim())
    return 'its whitespace is changed';
  if (received !== '' && sent.startsWith(received)) return `it is truncated: ${lengths}`;
  const marks = (text: string) => text.match(/[\uFFFD?]/g)?.length ?? 0;
  if (marks(received) > marks(sent) && received.length <= sent.length * 2)
    return `characters are replaced: ${describeDifference(sent, received)}`;
  if (sent.includes('<') && received === sent.replace(/<[^>]*>/g, ''))
    return 'its tags are removed';
  if (received.toLowerCase() === sent.toLowerCase()) return 'its letter case is changed';
  return `${describeDifference(sent, received)} (${lengths})`;
}

/** Quotes both texts around the first character that differs. */
function describeDifference(sent: string, received: string): string {
  const [expected, actual] = [charactersOf(sent), charactersOf(received)];
  let index = 0;
  while (index < expected.length && expected[index] === actual[index]) index += 1;
  const start = Math.max(0, index - 8);
  const excerpt = (characters: string[]) =>
    JSON.stringify(characters.slice(start, start + 32).join(''));
  return `${excerpt(actual)} instead of ${excerpt(expected)}`;
}
