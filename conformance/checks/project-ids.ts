import { Blocked } from '../http/record.ts';
import type { Project } from '../../machines/types.ts';
import { sharesText } from '../http/project-texts.ts';
import { statusOf } from '../http/response.ts';
import { asUser } from '../people/visits.ts';
import { describeStatus, describeType, truncate } from '../problems/describe.ts';
import { fail } from '../problems/problem.ts';
import { judgeSpecial } from '../problems/special.ts';
import { createOrBlock } from '../requests/creates.ts';
import {
  expectListed,
  findByIdOrText,
  isSameProject,
  listOrBlock,
  missingFromList,
} from '../requests/lists.ts';
import { type Check, must } from './check.ts';

export const projectIdChecks: Check[] = [
  must('PROJECT-17', {
    title: 'Browsers can tell all ids apart',
    requirement:
      'Send an id as a string, or as an integer of at most 9007199254740991 (2^53 - 1). Browsers round larger numbers, so that two ids become one.',
    statements: ['ENTITY-1', 'CHOICE-32'],
    after: ['PROJECT-1', 'PROJECT-2', 'PROJECT-3', 'PROJECT-30'],
    run: asUser('ada', async (context, browser) => {
      for (const name of ['a first id', 'a second id', 'a third id', 'a fourth id'])
        await createOrBlock(context, browser, name);
      const { call, projects } = await listOrBlock(context, browser);
      const matches = call.exchange.response!.text.matchAll(/"id"\s*:\s*(-?\d+)/g);
      const rounded = Array.from(matches, ([, id]) => id!).find(
        (id) =>
          BigInt(Number(id)) !== BigInt(id) &&
          projects.some((project) => project.id === Number(id)),
      );
      if (rounded !== undefined)
        fail(
          `Ids are beyond 2^53: browsers read ${rounded} as ${BigInt(Number(rounded))}.`,
          [call],
          {
            userSees: 'one row for two new projects whose ids become one',
          },
        );
    }),
  }),
  must('PROJECT-7', {
    title: 'The id of a project never changes',
    requirement: 'Use one id per project, in the response to creating and in every list.',
    statements: ['ENTITY-1', 'CHOICE-32'],
    after: ['PROJECT-17'],
    run: asUser('ada', async (context, browser) => {
      const { project, call } = await createOrBlock(context, browser, 'with one id');
      const lists = [await listOrBlock(context, browser), await listOrBlock(context, browser)];
      const [first, second] = lists.map(({ projects }) => {
        const rows = projects.filter((each) => sharesText(each, project));
        return (rows.find(({ id }) => id === project.id) ?? rows[0])?.id;
      });
      if (first === undefined || second === undefined) throw new Blocked(missingFromList);
      if (first !== second || first !== project.id)
        fail(
          `A project has another id ${first === second ? 'in lists than in the response to creating it' : 'in each list'}.`,
          [call, ...lists.map((list) => list.call)],
          {
            detail: `It is ${describeType(project.id)} in the response to creating it, and ${describeType(first)} and ${describeType(second)} in lists.`,
            userSees: 'the same project twice while the app fetches the list',
          },
        );
    }),
  }),
  must('PROJECT-6', {
    title: 'Each project has a unique id',
    requirement:
      'Give every project its own id, also to projects created concurrently or with the same text. Send numbers beyond 2^53 as strings, before they are rounded.',
    statements: ['ENTITY-1', 'CHOICE-32'],
    after: ['PROJECT-7'],
    run: asUser('ada', async (context, browser) => {
      const first = await createOrBlock(context, browser, 'twice the same');
      // A backend may require unique titles.
      const second = await browser.createProject(first.sent);
      const third = await createOrBlock(context, browser, 'something else');
      const { projects, call } = await listOrBlock(context, browser);
      const calls = [first.call, second, third.call];
      const values = calls.flatMap(({ outcome }) => (outcome.ok ? [outcome.value] : []));
      const created = findDuplicateId(values);
      if (!values.some((project) => findByIdOrText(projects, project)))
        throw new Blocked(missingFromList);
      if (created !== undefined)
        fail(
          `Two projects are created with one id, ${truncate(JSON.stringify(created), 40)}.`,
          calls.filter(({ outcome }) => outcome.ok && outcome.value.id === created),
          { userSees: 'the second project replaces the first one' },
        );
      const listed = findDuplicateId(projects);
      if (listed !== undefined)
        fail(`The list has an id twice, ${truncate(JSON.stringify(listed), 40)}.`, [call]);
    }),
  }),
  must('PROJECT-23', {
    title: 'A second project with the same title leaves the first one as it is',
    requirement:
      'Identify projects by their id. Store a second project with the same title, also of another user, or reject it with 409 and a message. Never replace the first one.',
    statements: ['ENTITY-1', 'CHOICE-32', 'APP-2'],
    after: ['PROJECT-8'],
    run: asUser('ada', async (context, browser) => {
      const others = { 'another user': 'bob', 'the same user': 'ada' };
      const find = (projects: Project[], project: Project) => projects.find(isSameProject(project));
      for (const [user, name] of Object.entries(others))
        await judgeSpecial('the same', 'another', async (kind) => {
          const first = await createOrBlock(context, browser, `before ${kind} title of ${name}`);
          const text = context.fixtures.project(`with ${kind} title of ${name}`);
          const sent = kind === 'another' ? text : { ...text, title: first.sent.title };
          const second = await (await context.signedInUser(name)).browser.createProject(sent);
          const words = `second project with ${kind} title, of ${user}`;
          if (statusOf(second.exchange) >= 500)
            fail(`A ${words}, gets ${describeStatus(second.exchange)}.`, [second]);
          const { outcome } = second;
          const own =
            name === 'ada' && outcome.ok ? [{ call: second, project: outcome.value }] : [];
          const describe = ([lost]: { project: Project }[]) =>
            `After a ${words}, the list lacks the ${lost!.project === first.project ? 'first' : 'second'} one.`;
          const calls = [first.call, second];
          await expectListed(context, browser, [first, ...own], describe, calls, find);
          return second;
        });
    }),
  }),
];

export function findDuplicateId(projects: Project[]): Project['id'] | undefined {
  const ids = projects.map(({ id }) => id);
  return ids.find((id, index) => ids.indexOf(id) !== index);
}
