import { Blocked } from '../http/record.ts';
import type { Project } from '../../machines/types.ts';
import { decidingStatuses } from '../../src/api/idempotency-keys.ts';
import { labelOf, sharesText, textNames } from '../http/project-texts.ts';
import { isClientError, statusOf } from '../http/response.ts';
import { oncePerRun } from '../people/run-context.ts';
import { asUser } from '../people/visits.ts';
import { describeResponse, describeStatus } from '../problems/describe.ts';
import { refusalCause } from '../problems/causes.ts';
import { messageFault } from '../problems/matchers.ts';
import { decisiveLast, expectSuccess, fail, skip } from '../problems/problem.ts';
import { createOrBlock, createWithKey } from '../requests/creates.ts';
import { createListed, expectListed, listOrBlock } from '../requests/lists.ts';
import { must, should, type Check } from './check.ts';

export const idempotencyChecks: Check[] = [
  should('PROJECT-13', {
    title: 'A repeated Idempotency-Key is accepted',
    requirement:
      'Browsers may repeat a POST, and so does the app when a user tries again after a lost answer. Respond with the first project again, or ignore the key and create a second one.',
    statements: ['CHOICE-7', 'CALL-9'],
    after: ['PROJECT-9'],
    async run(context) {
      const { browser, first, second } = await repeatKey(context);
      const failure = 'A repeated Idempotency-Key fails, although its project exists';
      const project = expectSuccess(second, failure, [first.call]);
      const lost = 'A repeated Idempotency-Key gets a project that the list lacks.';
      const calls = [first.call, second];
      await expectListed(context, browser, [{ call: second, project }], lost, calls, findById);
    },
  }),
  should('PROJECT-26', {
    title: 'A refusal takes no Idempotency-Key',
    requirement:
      'Release the key of a request that is refused or fails: a user signs in again, and sends the project with its key.',
    statements: ['CHOICE-7', 'CALL-9'],
    after: ['PROJECT-13'],
    async run(context) {
      const { browser, send } = await repeatKey(context);
      const refused = await send('refused', context.newBrowser('visitor'));
      const again = await send('refused');
      // A control: another key is accepted.
      if (!again.outcome.ok && (await send('not refused')).outcome.ok)
        expectSuccess(
          again,
          'An Idempotency-Key is refused: one with which a visitor was refused',
          [refused, again],
        );
      const sent = { ...context.fixtures.project('to be refused'), [textNames[0]!]: '' };
      const plain = await createWithKey(context, browser, sent, 'of a refusal');
      const next = await createWithKey(context, browser, sent, 'of a refusal');
      if (isClientError(plain.exchange) && statusOf(next.exchange) !== statusOf(plain.exchange))
        fail(
          `A refused project gets ${describeStatus(next.exchange)} when its key is repeated.`,
          [plain, next],
          { plain },
        );
    },
  }),
  should('PROJECT-31', {
    title: 'A project without an Idempotency-Key is stored',
    requirement: 'Store each project that gets 201. The key is optional.',
    statements: ['CHOICE-7', 'CREATE-2'],
    after: ['PROJECT-13'],
    run: asUser('bob', async (context, browser) => {
      const { call: plain } = await createListed(context, browser, 'with a key of the app');
      const headers = { 'idempotency-key': undefined };
      const created = [];
      const calls = [plain];
      for (const name of ['without a key', 'also without a key']) {
        const sent = context.fixtures.project(name);
        const call = await browser.createProject(sent, { headers, isAppRequest: false });
        const project = expectSuccess(call, 'A project without an Idempotency-Key fails', [plain]);
        created.push({ call, project });
        calls.push(call);
        if (!sharesText(project, sent))
          fail('A project without an Idempotency-Key gets the response to an earlier one.', calls);
      }
      const lost = 'The list lacks a project that was created without an Idempotency-Key.';
      await expectListed(context, browser, created, lost, calls);
    }),
  }),
  should('PROJECT-29', {
    title: 'Two requests at once with one Idempotency-Key are both accepted',
    requirement:
      'Respond to both as to a repeated key: with one project, or with two if you ignore the key. Let the second request wait for the first one.',
    statements: ['CHOICE-7', 'CALL-9'],
    after: ['PROJECT-13'],
    async run(context) {
      const { browser, first, second, send } = await repeatKey(context);
      if (!second.outcome.ok)
        throw new Blocked({
          words: 'a repeated Idempotency-Key is refused',
          checks: ['PROJECT-13'],
        });
      const isHonoured = second.outcome.value.id === first.project.id;
      const countListed = async () => {
        const { call, projects } = await listOrBlock(context, browser);
        return { call, count: projects.filter((each) => sharesText(each, first.project)).length };
      };
      const before = await countListed();
      const concurrent = await Promise.all([send('at once'), send('at once')]);
      const [one, two] = concurrent.map(({ outcome }) =>
        outcome.ok ? outcome.value.id : undefined,
      );
      if (isHonoured && one !== two && one !== undefined && two !== undefined)
        fail('Two requests at once with one Idempotency-Key create two projects.', [
          second,
          ...concurrent,
        ]);
      const after = await countListed();
      if (isHonoured && one === two && one !== undefined && after.count > before.count + 1)
        fail(
          'Two requests at once with one Idempotency-Key get one project, and the list has two.',
          [...concurrent, after.call],
        );
      const failed = concurrent.find(
        ({ exchange }) =>
          statusOf(exchange) >= 500 ||
          (isHonoured && decidingStatuses.includes(statusOf(exchange))),
      );
      if (failed)
        fail(
          `Of two requests at once with one Idempotency-Key, one gets ${describeStatus(failed.exchange)}.`,
          decisiveLast(concurrent, failed),
          {
            detail: isClientError(failed.exchange)
              ? 'The app chooses a new key after this status, so the next attempt creates a second project.'
              : undefined,
          },
        );
    },
  }),
  should('PROJECT-19', {
    title: 'An Idempotency-Key with another text does not lose a project',
    requirement:
      'When a key comes with another text, create that project or reject it with 409 and a message. Do not respond with the first project.',
    statements: ['CHOICE-90', 'CREATE-2'],
    after: ['PROJECT-8'],
    run: asUser('bob', async (context, browser) => {
      const first = await createOrBlock(context, browser, 'first of its key', 'two texts');
      const other = context.fixtures.project('second of its key');
      for (const name of textNames) {
        const text = `another ${labelOf(name)}`;
        const sent = { ...first.sent, [name]: other[name] };
        const second = await createWithKey(context, browser, sent, 'two texts');
        let fault = messageFault(second.exchange);
        if (second.outcome.ok) {
          const project = second.outcome.value;
          const lost = `A key with ${text} gets a project that the next list lacks.`;
          const calls = [first.call, second];
          await expectListed(context, browser, [{ call: second, project }], lost, calls, findById);
          fault = project.id === first.project.id ? 'it is the first project' : undefined;
        } else if (!isClientError(second.exchange)) fault = 'that is no refusal';
        if (fault)
          fail(
            `A key with ${text} gets ${describeStatus(second.exchange)}, and ${fault}.`,
            [first.call, second],
            { cause: refusalCause(second.exchange, `a repeated Idempotency-Key with ${text}`) },
          );
      }
    }),
  }),
  must('PROJECT-20', {
    title: 'An Idempotency-Key belongs to the user who sent it',
    requirement:
      "Store keys per user. Never respond with another user's project, and store the project of each user.",
    statements: ['CHOICE-91', 'CHOICE-44'],
    after: ['PROJECT-26', 'PROJECT-29'],
    async run(context) {
      const [ada, bob] = [await context.signedInUser('ada'), await context.signedInUser('bob')];
      const key = 'of two users';
      const first = await createOrBlock(context, ada.browser, 'with the key of another user', key);
      const second = await createWithKey(context, bob.browser, first.sent, key);
      if (!second.outcome.ok) skip(`the second user gets ${describeResponse(second.exchange)}`);
      const project = second.outcome.value;
      const what =
        project.id === first.project.id
          ? 'the project of that user'
          : 'a project that the next list lacks';
      const lost = `A user whose Idempotency-Key another user has sent gets ${what}.`;
      await expectListed(context, bob.browser, [{ call: second, project }], lost, [
        first.call,
        second,
      ]);
    },
  }),
];

const findById = (projects: Project[], project: Project) =>
  projects.find(({ id }) => id === project.id);

/** Sends a project of bob twice with one key. Skips if a third time with another key fails. */
const repeatKey = oncePerRun(async (context) => {
  const { browser } = await context.signedInUser('bob');
  const first = await createOrBlock(context, browser, 'keyed', 'again');
  const send = (key: string, by = browser) => createWithKey(context, by, first.sent, key);
  const second = await send('again');
  if (!(await send('not repeated')).outcome.ok)
    skip('the backend rejects a second project with the same text');
  return { browser, first, second, send };
});
