import type { Check } from './check.ts';
import type { Project } from '../../machines/types.ts';
import {
  describeMessageFault,
  describeResponse,
  describeType,
  explainInvalidJson,
  truncate,
} from '../describe.ts';
import { isClientError, isSuccess, isUtf8, parseJson } from '../http/response.ts';
import { createFirstProject, hasIdOf, listOrBlock } from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import { Blocked, fail, skip, type Verdict } from '../verdict.ts';

export const textChecks: Check[] = [
  textCheck(
    'TEXT-1',
    'MUST',
    'Markup is kept as the text that it is',
    ['ENTITY-1', 'CREATE-2', 'PROJECTS-6'],
    {
      title: '<b>Bold</b> & "quoted" \'plan\' &amp; <script>alert(1)</script>',
      description: '<p>1 < 2 && 3 > 2</p> &lt;not a tag&gt; <!-- no comment --> </textarea>',
    },
  ),
  textCheck('TEXT-2', 'MUST', 'Emoji and rare characters are kept', ['ENTITY-1', 'CREATE-2'], {
    title: 'Launch 🚀 family 👩‍👩‍👧‍👦 flag 🇪🇺 𝒳 𠮷',
    description: '🗝️ ‰ € ™ ½ ≠ — “quoted” … 🏳️‍🌈',
  }),
  textCheck(
    'TEXT-3',
    'MUST',
    'Every script is kept, right-to-left ones too',
    ['ENTITY-1', 'CREATE-2'],
    {
      title: 'مشروع جديد · פרויקט חדש · Ünïcödé ß Ł ő',
      description: 'プロジェクト · 项目 · проект · έργο · परियोजना \u200Fשלום (abc) עולם\u200E',
    },
  ),
  textCheck('TEXT-4', 'MUST', 'Line breaks are kept', ['ENTITY-1', 'PROJECTS-3'], {
    title: 'With lines',
    description: 'First line\nSecond line\n\nAfter an empty one\n  indented by two',
  }),
  textCheck('TEXT-5', 'MUST', 'A description of 10 kB is kept whole', ['ENTITY-1', 'CHOICE-26'], {
    title: 'With a long description',
    description: `${'All work and no play. '.repeat(465)}The end.`,
  }),
  textCheck(
    'TEXT-6',
    'MUST',
    'A title of 300 characters is kept whole',
    ['ENTITY-1', 'CHOICE-26'],
    {
      title: `${'A long title, and more of it: '.repeat(10).slice(0, 299)}!`,
      description: 'Its title has 300 characters.',
    },
  ),
  textCheck(
    'TEXT-7',
    'MUST',
    'Text that looks like something else stays text',
    ['ENTITY-1', 'CALL-9'],
    { title: '007', description: 'true' },
    { title: 'null', description: '{"title":"in a title"}' },
    { title: '1e3', description: '2026-02-30' },
  ),
  textCheck(
    'TEXT-8',
    'MUST',
    'Signs that mean something to code or to a database are kept',
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
    'Blanks at the ends, tabs and line breaks of Windows are kept',
    ['ENTITY-1', 'CHOICE-25'],
    {
      title: '  between blanks  ',
      description: '\tindented by a tab\r\nand a line break of Windows\r\n  ',
    },
  ),
  textCheck(
    'TEXT-10',
    'SHOULD',
    'Characters that are put together are not put together anew',
    ['ENTITY-1'],
    {
      title: 'Cafe\u0301 and Café, Å and Å',
      description: 'ﬁne ① ｆｕｌｌ width\u00a0and\u200bnone',
    },
  ),
  {
    id: 'TEXT-11',
    level: 'MUST',
    title: 'A description of 100,000 characters is kept whole, or refused with a message',
    requirement:
      'The app sets no greatest length. A backend may: then it refuses, with a message that the person reads.',
    statements: ['CHOICE-26', 'ERROR-5'],
    run: (context) =>
      keptAsTyped(context, {
        title: 'With a very long description',
        description: `${'Twenty characters.. '.repeat(4999)}And this is the end.`.slice(0, 100_000),
      }),
  },
];

function textCheck(
  id: string,
  level: Check['level'],
  title: string,
  statements: string[],
  ...projects: Omit<Project, 'id'>[]
): Check {
  const needs =
    'Any text comes back as it was sent, character for character, in the answer to creating and in the list; or it is refused with a message.';
  const run = async (context: RunContext) => {
    for (const project of projects) await keptAsTyped(context, project);
  };
  return { id, level, title, requirement: needs, statements, run };
}

async function keptAsTyped(context: RunContext, sent: Omit<Project, 'id'>): Promise<Verdict> {
  const { browser } = await context.signedInUser('tess');
  const create = await browser.createProject(sent);
  if (isClientError(create.exchange)) {
    const fault = describeMessageFault(create.exchange);
    if (fault)
      fail(`Such a project is refused with ${describeResponse(create.exchange)}, and ${fault}.`, [
        create,
      ]);
    if ([401, 403].includes(create.exchange.response?.status ?? 0))
      throw new Blocked(`creating a project did not work: ${describeResponse(create.exchange)}`);
    skip(`refused: ${describeResponse(create.exchange)}`);
  }
  if (!isSuccess(create.exchange)) {
    fail(`Such a project is answered with ${describeResponse(create.exchange)}.`, [create]);
  }
  const invalid = !isUtf8(create.exchange.response!.bytes);
  const body = create.outcome.ok ? create.outcome.value : parseJson(create.exchange.response!.text);
  if (typeof body !== 'object' || body === null || !('title' in body)) {
    if (!(await createFirstProject(context)).outcome.ok)
      throw new Blocked('the answer to creating is no project, see PROJECT-2');
    fail(
      `The answer to creating such a project is no ${body === undefined ? 'JSON' : 'project'}${explainInvalidJson(create.exchange)}${invalid ? ', and it is not UTF-8' : ''}: ${describeResponse(create.exchange)}.`,
      [create],
    );
  }
  const answered = body as Partial<Project>;
  for (const key of ['title', 'description'] as const) {
    const change = describeTextChange(sent[key], answered[key]);
    if (change) {
      fail(
        `The answer to creating has another ${key} than was typed: ${invalid ? 'the body is not UTF-8, so ' : ''}${change}.`,
        [create],
        create.outcome.ok ? `a row that reads "${truncate(String(answered[key]))}"` : undefined,
      );
    }
  }
  const { projects, call } = await listOrBlock(browser);
  const kept = projects.find(hasIdOf(answered as Project));
  if (!kept) throw new Blocked('a created project is missing from the list');
  for (const key of ['title', 'description'] as const) {
    const change = describeTextChange(sent[key], kept[key]);
    if (change)
      fail(
        `The list has another ${key} than was typed: ${change}.`,
        [create, call],
        `a row that reads "${truncate(kept[key])}"`,
      );
  }
  return undefined;
}

/** What was done to a text, as far as it can be told. */
export function describeTextChange(sent: string, got: unknown): string | undefined {
  if (got === sent) return undefined;
  if (typeof got !== 'string') return `it is ${describeType(got)}`;
  const lengths = `${sent.length} characters were sent and ${got.length} came back`;
  if (
    /&(lt|gt|amp|quot|#\d+|#x[\da-f]+);/i.test(got) &&
    !/&lt;b/.test(sent) &&
    got.length > sent.length
  )
    return `it is HTML-escaped: ${part(sent, got)}`;
  if (
    got === sent.normalize('NFC') ||
    got === sent.normalize('NFKC') ||
    got === sent.normalize('NFD')
  )
    return 'it was brought to another Unicode form (normalised)';
  if (got === sent.trim()) return 'blanks at its ends were cut off (trimmed)';
  if (got.replaceAll('\r\n', '\n') === sent.replaceAll('\r\n', '\n'))
    return 'its line breaks were changed';
  if (got.replace(/\s+/g, ' ').trim() === sent.replace(/\s+/g, ' ').trim())
    return 'its blanks or line breaks were changed';
  if (got !== '' && sent.startsWith(got)) return `it was cut off: ${lengths}`;
  const marks = (text: string) => text.match(/[\uFFFD?]/g)?.length ?? 0;
  if (marks(got) > marks(sent) && got.length <= sent.length * 2)
    return `characters were replaced: ${part(sent, got)}`;
  if (sent.includes('<') && got === sent.replace(/<[^>]*>/g, '')) return 'its tags were taken out';
  if (got.toLowerCase() === sent.toLowerCase()) return 'its capital letters were changed';
  return `${part(sent, got)} (${lengths})`;
}

/** The place where two texts part. */
function part(sent: string, got: string): string {
  let at = 0;
  while (at < sent.length && sent[at] === got[at]) at += 1;
  const from = Math.max(0, at - 8);
  const around = (text: string) => JSON.stringify(text.slice(from, from + 32));
  return `${around(got)} instead of ${around(sent)}`;
}
