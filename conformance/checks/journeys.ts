import type { Check } from './check.ts';
import type { Route } from '../../model/driver.ts';
import { createHttpDriver } from '../journeys/http-driver.ts';
import { authJourneys, projectsJourneys, backendDependentMoves } from '../journeys/paths.ts';
import { createPreconditions } from '../journeys/preconditions.ts';
import { userStory } from '../journeys/user-story.ts';
import { journeyLog, walkJourney } from '../journeys/coverage.ts';
import type { RunContext } from '../run-context.ts';
import { failIfAny, problem, skip } from '../verdict.ts';

const needs =
  "The app's own client and state machines, run against the backend along every path that a backend can be brought to: after each step the screen is what the model says.";

export const journeyChecks: Check[] = [
  {
    id: 'JOURNEY-1',
    level: 'MUST',
    title: 'A visitor becomes a person with projects',
    requirement:
      'Register, sign in, see an empty list, create two projects, leave and come back, reload: one browser, one after another.',
    statements: ['APP-1', 'APP-2', 'AUTH-8', 'CHOICE-4', 'CHOICE-9', 'CREATE-2'],
    run: userStory,
  },
  {
    id: 'JOURNEY-2',
    level: 'MUST',
    title: 'Registering and signing in go as the machine says',
    requirement: needs,
    statements: ['AUTH-2', 'AUTH-3', 'AUTH-5', 'AUTH-6', 'AUTH-7', 'AUTH-9', 'CHOICE-8'],
    run: (context) => walkAll(context, '/', authJourneys),
  },
  {
    id: 'JOURNEY-3',
    level: 'MUST',
    title: 'Fetching and creating projects go as the machine says',
    requirement: needs,
    statements: ['LIST-2', 'LIST-3', 'LIST-4', 'CREATE-1', 'CREATE-2', 'CREATE-4', 'CHOICE-31'],
    run: (context) => walkAll(context, '/', projectsJourneys),
  },
];

export const screenCheck: Check = {
  id: 'UI-1',
  level: 'MUST',
  title: 'The real app walks the same journeys in a browser',
  requirement:
    'With --ui: the built app in front of the backend, in a real browser; after each step the screen is what the model says.',
  statements: ['LAYOUT-1', 'LOGIN-5', 'PROJECTS-6', 'CHOICE-27'],
  async run(context) {
    if (!context.ui) skip('--ui was not given');
    await context.signedInUser('ada');
    const { stage, possible } = await staged(context);
    const { walkScreens } = await import('../ui/walk-screens.ts');
    const { problems, screenshots } = await walkScreens(context, stage, possible, context.ui);
    context.screenshots.push(...screenshots);
    failIfAny(problems);
  },
};

/** The stage, and what this backend can be brought to. */
async function staged(context: RunContext) {
  const stage = createPreconditions(context);
  const { unreachableMoves: impossible } = await journeyLog(context);
  for (const move of backendDependentMoves) {
    const why = await stage.whyUnreachable(move);
    if (why) impossible.set(move, why);
  }
  const possible = (move: string) => !impossible.has(move.replace(/^late /, ''));
  return { stage, possible };
}

async function walkAll(
  context: RunContext,
  start: Route,
  paths: typeof authJourneys | typeof projectsJourneys,
) {
  await context.signedInUser('ada');
  const { stage, possible } = await staged(context);
  const tally = await journeyLog(context);
  const visitor = {
    email: context.fixtures.email('ada'),
    password: context.fixtures.password('ada'),
  };
  const found = [];
  for (const path of paths(context.fixtures, possible)) {
    const open = (note: Parameters<typeof createHttpDriver>[2]) =>
      createHttpDriver(stage, start, note);
    const {
      failure: trouble,
      exchanges,
      name,
    } = await walkJourney(path as never, start, open, tally, visitor);
    if (trouble)
      found.push(
        problem(
          `On the journey "${name}", at "${trouble.move}": ${trouble.message}.`,
          exchanges.slice(-3),
        ),
      );
  }
  failIfAny(found);
}
