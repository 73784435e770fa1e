import { checkJourney, checkWalk } from '../journeys/journey.ts';
import { accountSteps, arrival, projectSteps } from '../journeys/steps.ts';
import type { WalkOptions } from '../journeys/walk.ts';
import type { RunContext } from '../run-context.ts';
import { Blocked, skip } from '../verdict.ts';
import type { Verdicts } from './check.ts';

export const journeyChecks: Verdicts = {
  'JOURNEY-1': async (context) => void (await userStory(context)),
  'JOURNEY-5': (context) => goOn(context, { steps: projectSteps, maxSteps: 100 }),
  'JOURNEY-6': (context) => goOn(context, { steps: accountSteps, maxSteps: 100, maxHashes: 11 }),
  async 'UI-1'(context) {
    if (!context.ui) skip('--ui was not given');
    const { walkScreens } = await import('../ui/walk-screens.ts');
    await walkScreens(context, context.ui);
  },
};

const userStory = (context: RunContext) =>
  context.once('user story', () => {
    const later = ['creates a project', 'leaves Projects', 'opens Projects', 'reloads the page'];
    return checkJourney(context, [...Object.keys(arrival), ...later]);
  });

/** Lets the person of the story go on, because an account is expensive. */
async function goOn(context: RunContext, options: WalkOptions) {
  const story = await userStory(context).catch(() => {
    throw new Blocked(context.http.unjudged.at(-1) ?? 'the journey of JOURNEY-1 fails');
  });
  await checkWalk(context, story, options);
}
