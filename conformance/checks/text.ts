import type { NewProject, Project } from '../../machines/types.ts';
import {
  charactersOf,
  describeMessageFault,
  describeResponse,
  describeType,
  explainInvalidJson,
  lowerFirst,
  refusalCause,
  truncate,
} from '../describe.ts';
import { isClientError, isSuccess, messageOf, parseJson, statusOf } from '../http/response.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import {
  createFirstProject,
  createListed,
  describeCreateFailure,
  expectReadableList,
  findProject,
  listOrBlock,
  listWith,
} from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import { Blocked, createProblem, fail, failIfAny, skip } from '../verdict.ts';
import { verdictsOf, wordsOf, type CheckId, type Verdicts } from './check.ts';

type Text = [title: string, description: string];

/** Texts by the id of their check. */
const texts: { [id in CheckId]?: Text[] } = {
  'TEXT-1': [
    [
      '<b>Bold</b> & "quoted" \'plan\' &amp; <script>alert(1)</script>',
      '<p>1 < 2 && 3 > 2</p> &lt;not a tag&gt; <!-- no comment --> </textarea>',
    ],
  ],
  'TEXT-2': [['Launch 🚀 family 👩‍👩‍👧‍👦 flag 🇪🇺 𝒳 𠮷', '🗝️ ‰ € ™ ½ ≠ — “quoted” … 🏳️‍🌈']],
  'TEXT-3': [
    [
      'مشروع جديد · פרויקט חדש · Ünïcödé ß Ł ő',
      'プロジェクト · 项目 · проект · έργο · परियोजना \u200Fשלום (abc) עולם\u200E',
    ],
  ],
  'TEXT-4': [['With lines', 'First line\nSecond line\n\nAfter an empty one\n  indented by two']],
  'TEXT-5': [['With a long description', `${'All work and no play. '.repeat(465)}The end.`]],
  'TEXT-6': [
    [longText(300), 'Its title has 300 characters.'],
    [`${'x'.repeat(300)}.`, 'Its title is one word.'],
  ],
  'TEXT-7': [
    ['0', 'The title is a zero.'],
    ['The description is a zero', '0'],
    ['false', 'false'],
    ['null', 'null'],
    ['007', 'true'],
    ['1e3', '2026-02-30'],
    ['[]', '{"title":"in a title"}'],
  ],
  'TEXT-12': [
    ['x', 'x'],
    ['-', 'é'],
    ['漢', '🚀'],
  ],
  'TEXT-8': [
    [
      "Robert'); DROP TABLE projects;-- \\ \\n %s ${x} {{x}} %00 ../",
      'C:\\new\\table "quoted" \'single\' `ticks` $1 ? :name @x #{y} null \u2028 NaN',
    ],
    [
      '1 + 1 = 2, 100%25 & _more_ *of* it',
      'See https://example.org/?a=1+2&b=%2B#top, **soon** :-) [x](y) @ada #12',
    ],
    ['=1+1', '=SUM(A1:A2)'],
    ['https://example.org/?a=1&b=%20#top', '# A heading\n\n- a list'],
  ],
  'TEXT-9': [
    ['  between blanks  ', '\tindented by a tab\r\nand a line break of Windows\r\n  '],
    ['Only white space', ' \n\n\t\n'],
  ],
  'TEXT-10': [['Cafe\u0301 and Café, Å and Å', 'ﬁne ① ｆｕｌｌ width\u00a0and\u200bnone']],
  'TEXT-11': [['With a very long description', longText(100_000)]],
  'TEXT-13': [
    [longText(1000), 'Its title has 1,000 characters.'],
    [longText(10_000), 'Its title has 10,000 characters.'],
  ],
};

const textRows = Object.entries(texts).map(([id, projects]) => ({ id: id as CheckId, projects }));

function longText(length: number): string {
  return `${'A long text, and more of it: '.repeat(length / 29 + 1).slice(0, length - 1)}!`;
}

const nameText = ([title, description]: Text) =>
  `the project "${truncate(title, 20)}" (a title of ${title.length} and a description of ${description.length} characters)`;

const createText = (context: RunContext, [title, description]: Text) =>
  context.once(`text ${title}`, async () =>
    (await context.signedInUser('tess')).browser.createProject({ title, description }),
  );

export const textChecks: Verdicts = {
  ...verdictsOf(textRows, async (context, { projects }) => {
    const rejections = [];
    for (const text of projects) rejections.push(await expectPreserved(context, text));
    if (rejections.every(Boolean)) skip(`the backend rejects such a project: ${rejections[0]}`);
  }),
  async 'TEXT-16'(context) {
    const { browser } = await context.signedInUser('tess');
    const problems = [];
    const rows = textRows.filter(({ id }) => wordsOf[id].level === 'MUST');
    for (const text of rows.flatMap(({ projects }) => projects)) {
      const create = await createText(context, text);
      const [title, description] = text.map((each) => each.replaceAll(/[^a-z\d ]/gi, 'x'));
      if (!isClientError(create.exchange) || text.join() === `${title},${description}`) continue;
      const control = await browser.createProject({ title: title!, description: description! });
      if (!control.outcome.ok) continue;
      const subject = nameText(text);
      problems.push(
        createProblem(
          `The backend rejects ${subject} with ${describeResponse(create.exchange)}, and accepts letters in place of the other characters.`,
          [control, create],
          undefined,
          { words: 'texts are rejected for their characters', subject },
        ),
      );
    }
    failIfAny(problems);
  },
  async 'TEXT-14'(context) {
    const { browser } = await context.signedInUser('tess');
    await listOrBlock(browser);
    for (const subject of Object.keys(brokenTexts)) {
      const create = await createWithBrokenText(context, subject);
      if (!isDecided(create))
        fail(`${subject}: the backend responds with ${describeResponse(create.exchange)}.`, [
          create,
        ]);
      await expectReadableList(browser, subject, create);
    }
  },
  async 'TEXT-15'(context) {
    const problems = [];
    for (const subject of Object.keys(brokenTexts)) {
      const create = await createWithBrokenText(context, subject);
      if (!isDecided(create) || messageOf(create.exchange)) continue;
      const cause = isSuccess(create.exchange)
        ? { words: 'texts that the contract forbids are accepted', subject }
        : refusalCause(create.exchange, lowerFirst(subject));
      const response = `the backend responds with ${describeResponse(create.exchange)}`;
      problems.push(createProblem(`${subject}: ${response}.`, [create], undefined, cause));
    }
    failIfAny(problems);
  },
};

/** Texts that the contract forbids, because many databases and encoders cannot store them. */
const brokenTexts: Record<string, NewProject> = {
  'A NUL character in the title': { title: 'NUL\0', description: 'In the title' },
  'A NUL character in the description': { title: 'NUL', description: 'In\0the description' },
  'Half a surrogate pair in the title': { title: 'Half \ud83d', description: 'In the title' },
  'Half a surrogate pair in the description': { title: 'Half', description: 'Here \ud83d it is' },
};

const isDecided = ({ exchange }: ApiCall) => isSuccess(exchange) || isClientError(exchange);

/** Repeats a request without a usable response, because that may be chance. */
const createWithBrokenText = (context: RunContext, subject: string) =>
  context.once(subject, async () => {
    const { browser } = await context.signedInUser('tess');
    const create = () => browser.createProject(brokenTexts[subject]!, { isAppRequest: false });
    const first = await create();
    return isDecided(first) ? first : create();
  });

/** Texts that a program may take for a missing one, and other texts of the same kind. */
const ordinaryTexts: Record<string, string> = { 0: '5', false: 'fable', null: 'noun', '[]': '()' };

/** Fails when the text is changed, or rejected by mistake. Returns a rejection with a message. */
async function expectPreserved(context: RunContext, text: Text): Promise<string | undefined> {
  const sent = { title: text[0], description: text[1] };
  const subject = nameText(text);
  const { browser } = await context.signedInUser('tess');
  const create = await createText(context, text);
  const { exchange, outcome } = create;
  const response = describeResponse(exchange);
  if (isClientError(exchange)) {
    const fault = describeMessageFault(exchange);
    if (fault)
      fail(
        `The backend rejects ${subject} with ${response}, but ${fault}.`,
        [create],
        undefined,
        refusalCause(exchange, subject),
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
  if (!isSuccess(exchange)) fail(`The backend responds to ${subject} with ${response}.`, [create]);
  const body = outcome.ok ? outcome.value : parseJson(exchange.response!.text);
  if (typeof body !== 'object' || body === null || !('title' in body)) {
    if (!(await createFirstProject(context)).outcome.ok)
      throw new Blocked('the response to creating a project is not a project, see PROJECT-2');
    const expected = body === undefined ? `JSON${explainInvalidJson(exchange)}` : 'a project';
    fail(`The response is not ${expected}: ${response}.`, [create]);
  }
  const created = body as Project;
  const source = 'the response to creating a project';
  expectSameText(sent, created, source, [create], outcome.ok === true);
  const { projects, call } = await listWith(browser, [{ call: create, project: created }]);
  const listed = findProject(projects, created);
  if (!listed) {
    await createListed(context, browser, `after ${truncate(sent.title, 20)}`);
    return fail(`The list does not contain ${subject}.`, [create, call]);
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
    const received = actual[field];
    if (received === sent[field]) continue;
    const words = nameTextChange(sent[field], received);
    const difference =
      typeof received === 'string'
        ? `${describeDifference(sent[field], received)} (${sent[field].length} characters sent, ${received.length} received)`
        : `it is ${describeType(received)}`;
    fail(
      `The ${field} in ${source} is ${words}: ${difference}.`,
      calls,
      isShown ? `a row that reads "${truncate(String(received))}"` : undefined,
      {
        words: `texts are ${words}`,
        subject: `the ${field} ${JSON.stringify(truncate(sent[field], 20))}`,
      },
    );
  }
}

type TextChange = (sent: string, received: string) => boolean;

const sameAfter =
  (change: (text: string) => string): TextChange =>
  (sent, received) =>
    change(sent) === change(received);

const becomes =
  (change: (text: string) => string): TextChange =>
  (sent, received) =>
    received === change(sent);

/** Recognizes a text in which these characters are removed, or replaced with question marks. */
const lacks = (characters: RegExp): TextChange => {
  const withoutMarks = (text: string) => text.replaceAll(/[?\uFFFD]/g, '');
  return (sent, received) =>
    withoutMarks(received) === withoutMarks(sent.replaceAll(characters, ''));
};

const markup = /&?\b(lt|gt|amp|quot|apos);|&?#(0?39|34|x27|x22);|[<>&"']/gi;
const isSameMarkup = sameAfter((text) => text.replaceAll(markup, ''));

/** What backends do to texts, to complete "the text is". */
const textChanges: Record<string, TextChange> = {
  'HTML-escaped': (sent, received) => received.length > sent.length && isSameMarkup(sent, received),
  'normalized to the Unicode form NFC': becomes((text) => text.normalize('NFC')),
  'normalized to the Unicode form NFKC': becomes((text) => text.normalize('NFKC')),
  'normalized to the Unicode form NFD': becomes((text) => text.normalize('NFD')),
  trimmed: becomes((text) => text.trim()),
  'with other line breaks': sameAfter((text) => text.replaceAll('\r\n', '\n')),
  'with other white space': sameAfter((text) => text.replaceAll(/\s+/g, ' ').trim()),
  'cut at the first four-byte character (an emoji)': becomes((text) =>
    text.replace(/[\u{10000}-\u{10FFFF}][^]*/u, ''),
  ),
  'decoded as Latin-1, not as UTF-8': becomes((text) => Buffer.from(text).toString('latin1')),
  'without four-byte characters (emoji)': lacks(/[\u{10000}-\u{10FFFF}]/gu),
  'without characters outside Latin-1': lacks(/[^\0-\u00FF]/gu),
  'without characters outside ASCII': lacks(/[^\0-\u007F]/gu),
  'without tags': becomes((text) => text.replaceAll(/<[^>]*>/g, '')),
  'in another letter case': sameAfter((text) => text.toLowerCase()),
};

function nameTextChange(sent: string, received: unknown): string {
  if (typeof received !== 'string') return 'not a string';
  const known = Object.entries(textChanges).find(([, isDone]) => isDone(sent, received));
  if (known) return known[0];
  if (sent.startsWith(received)) return `cut at ${received.length} characters`;
  const { expected, actual, index } = findDifference(sent, received);
  const [from = '', to = ''] = [expected[index], actual[index]];
  if (received === sent.replaceAll(from, '')) return `without ${JSON.stringify(from)}`;
  return received === sent.replaceAll(from, to)
    ? `sent back with ${JSON.stringify(to)} in place of ${JSON.stringify(from)}`
    : `changed at ${JSON.stringify(from)}`;
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
