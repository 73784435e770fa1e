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
  createOrBlock,
  describeCreateFailure,
  expectReadableList,
  findProject,
  listOrBlock,
  missingFromList,
} from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import { Blocked, createProblem, fail, failIfAny, skip } from '../verdict.ts';
import { must, should, type Check } from './check.ts';

type TextRow = {
  level?: 'SHOULD';
  title: string;
  statements: string[];
  projects: NewProject[];
};

const rows: Record<string, TextRow> = {
  'TEXT-1': {
    title: 'Markup is preserved',
    statements: ['ENTITY-1', 'CREATE-2', 'PROJECTS-6'],
    projects: [
      {
        title: '<b>Bold</b> & "quoted" \'plan\' &amp; <script>alert(1)</script>',
        description: '<p>1 < 2 && 3 > 2</p> &lt;not a tag&gt; <!-- no comment --> </textarea>',
      },
    ],
  },
  'TEXT-2': {
    title: 'Emoji and rare characters are preserved',
    statements: ['ENTITY-1', 'CREATE-2'],
    projects: [
      {
        title: 'Launch 🚀 family 👩‍👩‍👧‍👦 flag 🇪🇺 𝒳 𠮷',
        description: '🗝️ ‰ € ™ ½ ≠ — “quoted” … 🏳️‍🌈',
      },
    ],
  },
  'TEXT-3': {
    title: 'All scripts are preserved, right-to-left ones included',
    statements: ['ENTITY-1', 'CREATE-2'],
    projects: [
      {
        title: 'مشروع جديد · פרויקט חדש · Ünïcödé ß Ł ő',
        description: 'プロジェクト · 项目 · проект · έργο · परियोजना \u200Fשלום (abc) עולם\u200E',
      },
    ],
  },
  'TEXT-4': {
    title: 'Line breaks are preserved',
    statements: ['ENTITY-1', 'PROJECTS-3'],
    projects: [
      {
        title: 'With lines',
        description: 'First line\nSecond line\n\nAfter an empty one\n  indented by two',
      },
    ],
  },
  'TEXT-5': {
    title: 'A description of 10 kB is preserved',
    statements: ['ENTITY-1', 'CHOICE-26'],
    projects: [
      {
        title: 'With a long description',
        description: `${'All work and no play. '.repeat(465)}The end.`,
      },
    ],
  },
  'TEXT-6': {
    title: 'A title of 300 characters is preserved',
    statements: ['ENTITY-1', 'CHOICE-26'],
    projects: [
      { title: longText(300), description: 'Its title has 300 characters.' },
      { title: `${'x'.repeat(300)}.`, description: 'Its title is one word.' },
    ],
  },
  'TEXT-7': {
    title: 'Text that looks like a number, a boolean, null or JSON stays text',
    statements: ['ENTITY-1', 'CALL-9'],
    projects: [
      { title: '0', description: 'The title is a zero.' },
      { title: 'The description is a zero', description: '0' },
      { title: 'false', description: 'false' },
      { title: 'null', description: 'null' },
      { title: '007', description: 'true' },
      { title: '1e3', description: '2026-02-30' },
      { title: '[]', description: '{"title":"in a title"}' },
    ],
  },
  'TEXT-12': {
    title: 'Text of one character is preserved',
    statements: ['ENTITY-1', 'CALL-9'],
    projects: [
      { title: 'x', description: 'x' },
      { title: '-', description: 'é' },
      { title: '漢', description: '🚀' },
    ],
  },
  'TEXT-8': {
    title: 'Special characters of code and databases are preserved',
    statements: ['ENTITY-1', 'CREATE-2'],
    projects: [
      {
        title: "Robert'); DROP TABLE projects;-- \\ \\n %s ${x} {{x}} %00 ../",
        description:
          'C:\\new\\table "quoted" \'single\' `ticks` $1 ? :name @x #{y} null \u2028 NaN',
      },
      {
        title: '1 + 1 = 2, 100%25 & _more_ *of* it',
        description: 'See https://example.org/?a=1+2&b=%2B#top, **soon** :-) [x](y) @ada #12',
      },
      { title: '=1+1', description: '=SUM(A1:A2)' },
      { title: 'https://example.org/?a=1&b=%20#top', description: '# A heading\n\n- a list' },
    ],
  },
  'TEXT-9': {
    level: 'SHOULD',
    title: 'Outer spaces, tabs and Windows line breaks are preserved',
    statements: ['ENTITY-1', 'CHOICE-25'],
    projects: [
      {
        title: '  between blanks  ',
        description: '\tindented by a tab\r\nand a line break of Windows\r\n  ',
      },
      { title: 'Only white space', description: ' \n\n\t\n' },
    ],
  },
  'TEXT-10': {
    level: 'SHOULD',
    title: 'Unicode is not normalized',
    statements: ['ENTITY-1'],
    projects: [
      {
        title: 'Cafe\u0301 and Café, Å and Å',
        description: 'ﬁne ① ｆｕｌｌ width\u00a0and\u200bnone',
      },
    ],
  },
  'TEXT-11': {
    title: 'A description of 100,000 characters is preserved, or rejected with a message',
    statements: ['CHOICE-26', 'ERROR-5'],
    projects: [{ title: 'With a very long description', description: longText(100_000) }],
  },
  'TEXT-13': {
    title: 'Titles of 1,000 and 10,000 characters are preserved, or rejected with a message',
    statements: ['CHOICE-26', 'ERROR-5'],
    projects: [
      { title: longText(1000), description: 'Its title has 1,000 characters.' },
      { title: longText(10_000), description: 'Its title has 10,000 characters.' },
    ],
  },
};

function longText(length: number): string {
  return `${'A long text, and more of it: '.repeat(length / 29 + 1).slice(0, length - 1)}!`;
}

export const textChecks: Check[] = [
  ...Object.entries(rows).map(([id, { level, title, statements, projects }]): Check => ({
    id,
    level: level ?? 'MUST',
    title,
    requirement:
      'Return text character for character, in the response to creating and in the list, or reject it with a message.',
    statements,
    needs: ['REACH-6'],
    async run(context) {
      const rejections = [];
      for (const project of projects) rejections.push(await expectPreserved(context, project));
      if (rejections.every(Boolean)) skip(`the backend rejects such a project: ${rejections[0]}`);
    },
  })),
  must('TEXT-14', {
    title: 'NUL characters and halves of surrogate pairs do not make the backend fail',
    requirement:
      'Reject "\\u0000" and a single "\\ud83d" in a text with 422 and a message, before they reach a database or an encoder.',
    statements: ['ENTITY-1', 'ERROR-6', 'LIST-4'],
    async run(context) {
      const { browser } = await context.signedInUser('tess');
      await listOrBlock(browser);
      for (const text of brokenTexts) {
        const create = await createWithBrokenText(context, text);
        const { exchange } = create;
        if (!isSuccess(exchange) && !isClientError(exchange))
          fail(`The backend responds to ${text.subject} with ${describeResponse(exchange)}.`, [
            create,
          ]);
        await expectReadableList(browser, text.subject, create);
      }
    },
  }),
  should('TEXT-15', {
    title: 'NUL characters and halves of surrogate pairs are rejected with a message',
    requirement:
      'Respond with 422 and a message, because many databases and encoders cannot store such text.',
    statements: ['ENTITY-1', 'ERROR-5'],
    needs: ['TEXT-14'],
    async run(context) {
      const problems = [];
      for (const text of brokenTexts) {
        const create = await createWithBrokenText(context, text);
        const { exchange, outcome } = create;
        const { subject, field, sent } = text;
        const change = outcome.ok && describeTextChange(sent[field], outcome.value[field]);
        const words = isSuccess(exchange)
          ? `accepted${change ? ` and ${change.words}` : ''}`
          : isClientError(exchange) && describeMessageFault(exchange);
        if (!words) continue;
        const description = `The backend responds to ${subject} with ${describeResponse(exchange)}.`;
        const cause = { words: `texts that cannot be stored: ${words}`, subject };
        problems.push(createProblem(description, [create], undefined, cause));
      }
      failIfAny(problems);
    },
  }),
];

/** Texts that the contract forbids, because many databases and encoders cannot store them. */
const brokenTexts = (['title', 'description'] as const).flatMap((field) =>
  Object.entries({ 'a NUL character': '\0', 'half a surrogate pair': '\ud83d' }).map(
    ([name, character]) => {
      const subject = `${name} in the ${field}`;
      const sent = { title: `Has ${subject}`, description: 'A description' };
      return { subject, field, sent: { ...sent, [field]: `before${character}after` } };
    },
  ),
);

/** Repeats a request without a usable response, because that may be chance. */
const createWithBrokenText = (
  context: RunContext,
  { subject, sent }: (typeof brokenTexts)[number],
) =>
  context.once(subject, async () => {
    const { browser } = await context.signedInUser('tess');
    const create = () => browser.createProject(sent, { isAppRequest: false });
    const first = await create();
    return isSuccess(first.exchange) || isClientError(first.exchange) ? first : create();
  });

/** Texts that a program may take for a missing one, and other texts of the same kind. */
const ordinaryTexts: Record<string, string> = { 0: '5', false: 'fable', null: 'noun', '[]': '()' };

/** Fails when the text is changed, or rejected by mistake. Returns a rejection with a message. */
async function expectPreserved(context: RunContext, sent: NewProject): Promise<string | undefined> {
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
    for (const field of fields) {
      const ordinary = ordinaryTexts[sent[field]];
      if (ordinary === undefined) continue;
      // Twice, because a backend may reject a second project with the same text.
      const control = () => browser.createProject({ ...sent, [field]: ordinary });
      const isAccepted = (await control()).outcome.ok && (await control()).outcome.ok;
      if (isAccepted)
        fail(
          `The backend takes the ${field} "${sent[field]}" for a missing one: it responds with ${response}, and accepts "${ordinary}".`,
          [create],
        );
    }
    return response;
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
  const listed = findProject(projects, created);
  if (!listed) {
    const control = await createOrBlock(context, browser, `after ${truncate(sent.title, 20)}`);
    if (!findProject((await listOrBlock(browser)).projects, control.project))
      throw new Blocked(missingFromList);
    return fail('The list does not contain such a project.', [create, call]);
  }
  expectSameText(sent, listed, 'the list', [create, call], true);
  return undefined;
}

const fields = ['title', 'description'] as const;

function expectSameText(
  sent: NewProject,
  actual: Partial<NewProject>,
  source: string,
  calls: ApiCall[],
  isShown: boolean,
) {
  for (const field of fields) {
    const change = describeTextChange(sent[field], actual[field]);
    if (!change) continue;
    const { words, detail } = change;
    const row = `a row that reads "${truncate(String(actual[field]))}"`;
    const subject = `the ${field} ${JSON.stringify(truncate(sent[field], 20))}`;
    fail(
      `The ${field} in ${source} is ${words}${detail && `: ${detail}`}.`,
      calls,
      isShown ? row : undefined,
      words === 'changed' ? undefined : { words: `texts are ${words}`, subject },
    );
  }
}

const characterSets = {
  'four-byte characters (emoji)': /[\u{10000}-\u{10FFFF}]/gu,
  'characters outside Latin-1': /[^\0-\xFF]/gu,
  'characters outside ASCII': /[^\0-\x7F]/gu,
};

/** Returns what the backend did to a text; undefined when it is unchanged. */
function describeTextChange(sent: string, received: unknown) {
  if (received === sent) return undefined;
  if (typeof received !== 'string')
    return { words: 'not a string', detail: `it is ${describeType(received)}` };
  const lengths = `${sent.length} characters sent, ${received.length} received`;
  return {
    words: nameTextChange(sent, received),
    detail: `${describeDifference(sent, received)} (${lengths})`,
  };
}

/** Completes "the text is". */
function nameTextChange(sent: string, received: string): string {
  if (received === '') return 'empty';
  const hasEntity = /&(lt|gt|amp|quot|#\d+|#x[\da-f]+);/i.test(received) && !sent.includes('&lt;b');
  if (hasEntity && received.length > sent.length) return 'HTML-escaped';
  const form = ['NFC', 'NFKC', 'NFD', 'NFKD'].find((name) => received === sent.normalize(name));
  if (form) return `normalized to the Unicode form ${form}`;
  if (received === sent.trim()) return 'trimmed';
  if (received.replaceAll('\r\n', '\n') === sent.replaceAll('\r\n', '\n'))
    return 'changed in its line breaks';
  if (received.replace(/\s+/g, ' ').trim() === sent.replace(/\s+/g, ' ').trim())
    return 'changed in its white space';
  if (sent.startsWith(received)) {
    if (sent[received.length] === '\0') return 'cut at the NUL character';
    return sent.codePointAt(received.length)! > 0xffff
      ? 'cut at the first four-byte character (an emoji)'
      : `cut at ${received.length} characters`;
  }
  if (received === Buffer.from(sent).toString('latin1')) return 'decoded as Latin-1, not as UTF-8';
  for (const [name, characters] of Object.entries(characterSets)) {
    const withoutMarks = received.replaceAll(/[?\uFFFD]/g, '');
    const kept = sent.replaceAll(characters, '').replaceAll(/[?\uFFFD]/g, '');
    if (withoutMarks === kept)
      return received === kept ? `without ${name}` : `sent back with "?" in place of ${name}`;
  }
  if (sent.includes('<') && received === sent.replace(/<[^>]*>/g, '')) return 'without its tags';
  if (received.toLowerCase() === sent.toLowerCase()) return 'in another letter case';
  const { expected, actual, index } = findDifference(sent, received);
  const [from = '', to = ''] = [expected[index], actual[index]];
  if (received === sent.replaceAll(from, '')) return `without its ${JSON.stringify(from)}`;
  return received === sent.replaceAll(from, to)
    ? `sent back with ${JSON.stringify(to)} in place of ${JSON.stringify(from)}`
    : 'changed';
}

function findDifference(sent: string, received: string) {
  const [expected, actual] = [charactersOf(sent), charactersOf(received)];
  let index = 0;
  while (index < expected.length && expected[index] === actual[index]) index += 1;
  return { expected, actual, index };
}

/** Quotes both texts around the first character that differs. */
function describeDifference(sent: string, received: string): string {
  const { expected, actual, index } = findDifference(sent, received);
  const start = Math.max(0, index - 8);
  const excerpt = (text: string[]) => JSON.stringify(text.slice(start, start + 32).join(''));
  return `${excerpt(actual)} instead of ${excerpt(expected)}`;
}
