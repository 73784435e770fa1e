import { createHash } from 'node:crypto';
import { Blocked } from '../http/record.ts';
import type { Project } from '../../machines/types.ts';
import {
  labelOf,
  nameOf,
  projectOf,
  textNames,
  type TextName,
  type Texts,
} from '../http/project-texts.ts';
import { isClientError, isSuccess, messageOf, parseJson, statusOf } from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import { oncePerArguments, type RunContext } from '../people/run-context.ts';
import { asUser } from '../people/visits.ts';
import {
  charactersOf,
  describeResponse,
  describeStatus,
  lowerFirst,
  plural,
  truncate,
} from '../problems/describe.ts';
import { refusalCause } from '../problems/causes.ts';
import { messageFault } from '../problems/matchers.ts';
import { createProblem, fail, failIfAny, skip } from '../problems/problem.ts';
import { judgeSpecial } from '../problems/special.ts';
import { createOrBlock, failedCreate } from '../requests/creates.ts';
import {
  expectReadableList,
  findByIdOrText,
  listOrBlock,
  listWith,
  missingFromList,
} from '../requests/lists.ts';
import { must, should, type Check } from './check.ts';
import { expectSameText } from './sent-texts.ts';
import { asciiOf, brokenTexts, lettersOf, mapTexts, textRows, type Text } from './text-rows.ts';

const nameText = (text: Text) => `the project ${JSON.stringify(truncate(nameOf(text)!, 15))}`;

const lengthsOf = (text: Text) =>
  Object.entries(text)
    .map(([name, each]) => {
      const length = plural(Array.from(each).length, 'character');
      return `a ${labelOf(name as TextName)} of ${length}`;
    })
    .join(' and ');

/** Returns the name of the project for these texts. No two projects share a text by chance. */
const sentOf = ({ fixtures }: RunContext, text: Text): Texts => ({
  ...fixtures.project(
    `with text ${createHash('sha256').update(JSON.stringify(text)).digest('hex').slice(0, 12)}`,
  ),
  ...text,
});

const createText = oncePerArguments(async (context, text: Text, person: string) =>
  (await context.signedInUser(person)).browser.createProject(sentOf(context, text)),
);

const textCheck = ({ id, level, title, projects }: (typeof textRows)[number]): Check => ({
  id,
  level,
  title,
  requirement:
    'Return text character for character, in the response to creating and in the list, or reject it with a message.',
  statements: ['ENTITY-1', 'CREATE-2', 'CHOICE-26'],
  after: ['PROJECT-8'],
  async run(context) {
    await listOrBlock(context, (await context.signedInUser('tess')).browser);
    const creates = [];
    for (const text of projects) {
      // Its twin in another list, because the text may have made this one unreadable.
      const judge = (each: Text) => expectPreserved(context, each, each === text ? 'tess' : 'cleo');
      creates.push(await judgeSpecial(text, lettersOf(text), judge));
    }
    if (!creates.some(({ exchange }) => isSuccess(exchange)))
      skip(`the backend rejects such a project: ${describeResponse(creates[0]!.exchange)}`);
  },
});

export const textChecks: Check[] = [
  ...textRows.map(textCheck),
  should('TEXT-16', {
    title: 'No text is rejected for its characters or because it is short',
    requirement:
      'Accept the least length of the contract, line breaks, emoji, markup and every script. Reject only a text that is too long or blank, or that has a NUL character or half a surrogate pair.',
    statements: ['ENTITY-1', 'CREATE-2'],
    after: ['PROJECT-8'],
    async run(context) {
      const problems = [];
      const rows = textRows.filter(({ level }) => level === 'MUST');
      for (const text of rows.flatMap(({ projects }) => projects)) {
        const create = await createText(context, text, 'tess');
        // Of a body that is too large, its bytes count, and 413 says so.
        const isTooLarge = statusOf(create.exchange) === 413;
        if (!isClientError(create.exchange) || isTooLarge) continue;
        if (await isTakenForMissing(context, text)) continue;
        const letters = await accepts(context, lettersOf(text));
        const plain = letters ?? (await accepts(context, lettersOf(text, 9)));
        if (!plain) continue;
        await expectCharacters((await context.signedInUser('tess')).browser, text);
        const bytes = Buffer.byteLength(Object.values(text).join(''));
        const areBytes = letters && !(await accepts(context, asciiOf(bytes)));
        const [control, words] = areBytes
          ? ['"x" for each character, not for each byte', 'texts are rejected for their bytes']
          : letters
            ? ['"x" for each character', 'texts are rejected for their characters']
            : ['a longer text', 'short texts are rejected'];
        const subject = nameText(text);
        const description = `The backend refuses ${subject}, and accepts another.`;
        const detail = `It has ${lengthsOf(text)}, and ${bytes} bytes. It accepts ${control}.`;
        const more = { detail, cause: { words, subject }, plain };
        problems.push(createProblem(description, [create], more));
      }
      failIfAny(problems);
    },
  }),
  must('TEXT-14', {
    title: 'NUL characters and halves of surrogate pairs do not make the backend fail',
    requirement:
      'Reject "\\u0000" and a single "\\ud83d" in a text with 422 and a message, before they reach a database or an encoder.',
    statements: ['ENTITY-1', 'ERROR-6', 'LIST-4'],
    after: ['PROJECT-8'],
    run: asUser('tess', async (context, browser) => {
      await listOrBlock(context, browser);
      const problems = [];
      const { call: plain } = await createOrBlock(context, browser, 'of whole characters');
      for (const subject of Object.keys(brokenTexts)) {
        const { create, description } = await createWithBrokenText(context, subject);
        const cause = { words: 'texts make the backend fail', subject: lowerFirst(subject) };
        if (!isDecided(create))
          problems.push(createProblem(description, [create], { cause, plain }));
        if (create.exchange.response)
          await expectReadableList(context, browser, lowerFirst(subject), create.exchange);
      }
      failIfAny(problems);
    }),
  }),
  should('TEXT-15', {
    title: 'NUL characters and halves of surrogate pairs are rejected with a message',
    requirement:
      'Respond with 422 and a message, because many databases and encoders cannot store such text.',
    about: 'refusals',
    statements: ['ENTITY-1', 'ERROR-5'],
    after: ['PROJECT-8'],
    async run(context) {
      const problems = [];
      for (const subject of Object.keys(brokenTexts)) {
        const { create, description } = await createWithBrokenText(context, subject);
        if (!isDecided(create) || messageOf(create.exchange)) continue;
        const cause = isSuccess(create.exchange)
          ? { words: 'texts that the contract forbids are accepted', subject }
          : refusalCause(create.exchange, lowerFirst(subject));
        problems.push(createProblem(description, [create], { cause }));
      }
      failIfAny(problems);
    },
  }),
];

const isDecided = ({ exchange }: ApiCall) => isSuccess(exchange) || isClientError(exchange);

/** Repeats a request without a usable response, because that may be chance. */
const createWithBrokenText = oncePerArguments(async (context: RunContext, subject: string) => {
  const { browser } = await context.signedInUser('tess');
  const sent = sentOf(context, brokenTexts[subject]!);
  const send = () => browser.createProject(sent, { isAppRequest: false });
  let create = await send();
  if (!isDecided(create)) create = await send();
  return { create, description: `${subject} gets ${describeStatus(create.exchange)}.` };
});

/** Returns the text that a program may take for a missing one. */
const findFalsy = (text: Text) =>
  Object.values(text).find((each) => /^(0|false|null|\[\])$/.test(each));

/** Returns whether neither the length nor the characters of a refused text can be the cause. */
async function isTakenForMissing(context: RunContext, text: Text) {
  const falsy = findFalsy(text);
  const withLetter = (each: string) => (each === falsy ? `${each}x` : each);
  return (
    falsy !== undefined &&
    (await accepts(context, lettersOf(text))) !== undefined &&
    (await accepts(context, mapTexts(text, withLetter))) !== undefined
  );
}

/** Creates a project twice, because titles may be unique. Returns a call if both succeed. */
async function accepts(context: RunContext, text: Text): Promise<ApiCall | undefined> {
  const { browser } = await context.signedInUser('tess');
  const create = () => browser.createProject(sentOf(context, text));
  return (await create()).outcome.ok
    ? [await create()].find(({ outcome }) => outcome.ok)
    : undefined;
}

/** Fails when the text is changed, or rejected by mistake. */
async function expectPreserved(context: RunContext, text: Text, person: string): Promise<ApiCall> {
  const sent = sentOf(context, text);
  const subject = nameText(text);
  const { browser } = await context.signedInUser(person);
  const create = await createText(context, text, person);
  const { exchange } = create;
  if (statusOf(exchange) === 401) throw failedCreate(create);
  if (isClientError(exchange)) {
    const fault = messageFault(exchange);
    if (fault)
      fail(`The backend refuses ${subject}, and ${fault}.`, [create], {
        cause: refusalCause(exchange, subject),
      });
    if (await isTakenForMissing(context, text))
      fail(
        `The text "${findFalsy(text)}" is taken for a missing one: "${findFalsy(text)}x" is accepted.`,
        [create],
      );
    return create;
  }
  if (statusOf(exchange) >= 500) await expectCharacters(browser, text);
  if (!isSuccess(exchange))
    fail(`The backend responds to ${subject} with ${describeStatus(exchange)}.`, [create], {
      detail: `It has ${lengthsOf(text)}.`,
    });
  const created = Object(parseJson(exchange.response!.text)) as Project;
  if (nameOf(created) === undefined) fail(`The response to ${subject} is not a project.`, [create]);
  expectSameText(context, sent, created, 'the response', [create]);
  const list = await expectReadableList(context, browser, subject, exchange);
  const stored = { call: create, project: created };
  const { projects, call } = await listWith(context, browser, [stored], findByIdOrText, list);
  const listed = findByIdOrText(projects, created);
  if (!listed) {
    const control = await createOrBlock(context, browser, `after ${truncate(nameOf(text)!, 20)}`);
    await expectReadableList(context, browser, subject, exchange, control.call.exchange);
    const later = await listWith(context, browser, [control]);
    if (later.missing.length > 0) throw new Blocked(missingFromList);
    return fail(`The list lacks ${subject}.`, [create, call], {
      lacks: created,
      detail: `It has ${lengthsOf(text)}. A project after it is in the list.`,
    });
  }
  expectSameText(context, sent, listed, 'the list', [create, call]);
  const isCopy = (each: Project) => textNames.every((name) => each[name] === listed[name]);
  const { length } = projects.filter(isCopy);
  const creates = context.http.exchanges.filter(
    ({ request }) => request.body === exchange.request.body,
  );
  if (length > creates.length)
    fail(`The list has ${subject} ${length} times.`, [create, call], {
      detail: `It was sent ${plural(creates.length, 'time')}.`,
      cause: { words: 'texts are stored several times', subject },
    });
  return create;
}

/** Fails when one character or word of the text is refused, or makes the backend fail. */
async function expectCharacters(browser: SimulatedBrowser, text: Text) {
  const plain = await browser.createProject(projectOf(() => 'One letter in a text'));
  if (!plain.outcome.ok) return;
  const joined = Object.values(text).join(' ');
  const parts = joined.split(' ').filter(({ length }) => length < 30);
  for (const character of new Set([...charactersOf(joined), ...parts])) {
    const one = `One ${character} in a text`;
    const create = await browser.createProject(projectOf(() => one));
    const isRefused = [400, 422].includes(statusOf(create.exchange));
    const words = isRefused ? 'are refused for a character' : 'make the backend fail';
    if (isRefused || statusOf(create.exchange) >= 500)
      fail(`The text ${JSON.stringify(one)} gets ${describeStatus(create.exchange)}.`, [create], {
        cause: { words: `texts ${words}`, subject: character },
        plain,
      });
  }
}
