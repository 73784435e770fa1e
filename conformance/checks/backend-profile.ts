import { isSuccess, messageOf, statusOf } from '../http/response.ts';
import { asUser } from '../people/visits.ts';
import { lowerFirst } from '../problems/describe.ts';
import { skip } from '../problems/problem.ts';
import { createOrBlock } from '../requests/creates.ts';
import { describeAcceptance, errorCases } from '../requests/error-cases.ts';
import { createListed, isListShared } from '../requests/lists.ts';
import { exchangeOf, triggerJudged } from '../requests/refusals.ts';
import { createAsVisitor } from '../requests/visitors.ts';
import { profile, type Check } from './check.ts';
import { listRejectedTexts } from './text.ts';

/** Choices that the specification leaves open. They are noted and never fail. */
export const profileChecks: Check[] = [
  profile('PROFILE-2', {
    title: 'Visibility of projects',
    requirement: 'Each user sees their own projects, or all users see all projects.',
    statements: ['CHOICE-44', 'CHOICE-41'],
    after: ['PROJECT-4'],
    async run(context) {
      if (await isListShared(context)) return 'all users see all projects';
      for (const name of ['ada', 'bob']) {
        const { browser } = await context.signedInUser(name);
        await createListed(context, browser, 'to be seen by its user');
      }
      return 'each user sees their own projects';
    },
  }),
  profile('PROFILE-9', {
    title: 'Rejected input',
    requirement: 'A backend may validate more strictly than the app.',
    statements: ['CHOICE-25', 'CHOICE-26', 'CONST-2'],
    after: ['PROJECT-4'],
    async run(context) {
      const rules = [];
      for (const errorCase of errorCases.filter(({ mayBeAccepted }) => mayBeAccepted)) {
        const result = await triggerJudged(context, errorCase).catch(() => undefined);
        if (!result) continue;
        const exchange = exchangeOf(result);
        const status = statusOf(exchange);
        // The session ended: that shows no rule about the input.
        if (status === 401 && errorCase.send !== createAsVisitor) continue;
        const message = messageOf(exchange);
        rules.push(
          isSuccess(exchange)
            ? describeAcceptance(errorCase)
            : `${lowerFirst(errorCase.subject)}: ${status || 'no response'}${message ? ` "${message}"` : ''}`,
        );
      }
      rules.push(...(await listRejectedTexts(context).catch(() => [])));
      return rules.length > 0 ? rules.join('; ') : skip('no input was judged');
    },
  }),
  profile('PROFILE-10', {
    title: 'Idempotency-Key',
    requirement: 'A backend may honour the key that the app sends with each new project.',
    statements: ['CHOICE-7'],
    after: ['PROJECT-4'],
    run: asUser('bob', async (context, browser) => {
      const create = () => createOrBlock(context, browser, 'with a key of its own', 'profile');
      const [first, second] = [await create(), await create()];
      return first.project.id === second.project.id
        ? 'honoured: a repeated request creates no second project'
        : 'not honoured: a repeated request creates a second project, and so does a user who tries again after a lost answer';
    }),
  }),
];
