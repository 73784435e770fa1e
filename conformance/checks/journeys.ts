import { Unjudged } from '../http/record.ts';
import { checkJourney, checkWalk } from '../journeys/journey.ts';
import { accountSteps, arrival, hashesOf, projectSteps } from '../journeys/steps.ts';
import type { WalkOptions } from '../journeys/walk.ts';
import { oncePerRun, type RunContext } from '../people/run-context.ts';
import { Blocked } from '../problems/problem.ts';
import { must, type Check } from './check.ts';

export const journeyChecks: Check[] = [
  must('JOURNEY-1', {
    title: 'A visitor can register, sign in and create projects',
    requirement:
      'In one browser: register, sign in, create two projects, leave the screen and return, reload.',
    statements: ['APP-1', 'APP-2', 'AUTH-8', 'CHOICE-4', 'CHOICE-9', 'CREATE-2'],
    after: ['REACH', 'CORS', 'COOKIE', 'XSRF', 'ACCOUNT', 'SIGNIN', 'PROJECT', 'TEXT', 'ERR'],
    run: async (context) => void (await userStory(context)),
  }),
  must('JOURNEY-5', {
    title: 'The calls for projects work in any sequence',
    requirement:
      'Respond to each request by what is stored, regardless of the requests before it. Steps that fail are repeated with new accounts: what fails once is not reported.',
    statements: ['LIST-2', 'LIST-3', 'CREATE-1', 'CREATE-2', 'CREATE-4', 'CHOICE-31'],
    after: ['JOURNEY-1'],
    run: (context) => goOn(context, { steps: projectSteps, maxSteps }),
  }),
  must('JOURNEY-6', {
    title: 'People can register and sign in in any sequence, in several browsers',
    requirement:
      'Respond to each request by what is stored, regardless of the requests before it. Steps that fail are repeated with new accounts: what fails once is not reported.',
    statements: ['AUTH-2', 'AUTH-3', 'AUTH-5', 'AUTH-6', 'AUTH-7', 'CHOICE-8', 'CHOICE-47'],
    after: ['JOURNEY-1', 'SIGNIN-19'],
    run: (context) =>
      goOn(context, {
        steps: accountSteps,
        maxSteps,
        maxHashes: hashesOf(accountSteps) + 1,
      }),
  }),
];

/** Enough for most pairs of steps. With more, MUST checks take too long at 1 s for each request. */
const maxSteps = 60;

const userStory = oncePerRun((context) => {
  const { unjudged } = context.http;
  const earlier = unjudged.length;
  const later = ['creates a project', 'leaves Projects', 'opens Projects', 'reloads the page'];
  return checkJourney(context, [...Object.keys(arrival), ...later]).catch((error: unknown) => {
    const reason = unjudged[earlier];
    throw reason === undefined ? error : new Unjudged(reason);
  });
});

/** Lets the person of the story go on, because an account is expensive. */
async function goOn(context: RunContext, options: WalkOptions) {
  const story = await userStory(context).catch((error: unknown) => {
    throw error instanceof Unjudged ? error : new Blocked('the journey of JOURNEY-1 fails');
  });
  await checkWalk(context, story, options);
}
