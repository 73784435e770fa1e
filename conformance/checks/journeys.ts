import { callNames } from '../../model/calls.ts';
import { isSuccess } from '../http/response.ts';
import { journeyLog, walkJourney } from '../journeys/coverage.ts';
import { createHttpDriver } from '../journeys/http-driver.ts';
import {
  authJourneys,
  backendDependentMoves,
  projectsJourneys,
  sharedAccounts,
  sharedPasswords,
} from '../journeys/paths.ts';
import { createPreconditions } from '../journeys/preconditions.ts';
import { userStory } from '../journeys/user-story.ts';
import type { RunContext } from '../run-context.ts';
import { Blocked, failIfAny, createProblem, skip } from '../verdict.ts';
import { must, type Check } from './check.ts';

const requirement =
  "After each step of every path that a backend can bring about, the app's own client and state machines show the screen that the model predicts.";

export const journeyChecks: Check[] = [
  must('JOURNEY-1', {
    title: 'A visitor can register, sign in and create projects',
    requirement:
      'In one browser: register, sign in, see an empty list, create two projects, leave the screen and return, reload.',
    statements: ['APP-1', 'APP-2', 'AUTH-8', 'CHOICE-4', 'CHOICE-9', 'CREATE-2'],
    run: userStory,
  }),
  must('JOURNEY-2', {
    title: 'Registering and signing in show the screens of the specification',
    requirement,
    statements: ['AUTH-2', 'AUTH-3', 'AUTH-5', 'AUTH-6', 'AUTH-7', 'AUTH-9', 'CHOICE-8'],
    run: (context) => walkJourneys(context, authJourneys),
  }),
  must('JOURNEY-3', {
    title: 'Fetching and creating projects show the screens of the specification',
    requirement,
    statements: ['LIST-2', 'LIST-3', 'LIST-4', 'CREATE-1', 'CREATE-2', 'CREATE-4', 'CHOICE-31'],
    run: (context) => walkJourneys(context, projectsJourneys),
  }),
  must('JOURNEY-4', {
    title: 'Each call of the contract has succeeded at least once',
    requirement:
      'Implement each operation of openapi.yaml. Blocked while one has not succeeded; other checks report why.',
    statements: ['APP-1', 'APP-2'],
    async run({ http, contract }) {
      const succeeded = http.exchanges.filter(isSuccess);
      const called = new Set(succeeded.map(({ request }) => contract.operationOf(request)));
      const missing = callNames.filter((call) => !called.has(call));
      if (missing.length > 0) throw new Blocked(`no success of ${missing.join(', ')}`);
    },
  }),
];

export const browserJourneyCheck = must('UI-1', {
  title: 'The app in a browser shows the screens of the specification',
  requirement:
    'After each step of the same paths, the built app in a real browser shows the screen that the model predicts. Runs only with --ui.',
  statements: ['LAYOUT-1', 'LOGIN-5', 'PROJECTS-6', 'CHOICE-27'],
  async run(context) {
    if (!context.ui) skip('--ui was not given');
    const { preconditions, isReachable } = await prepareJourneys(context);
    const { walkScreens } = await import('../ui/walk-screens.ts');
    const { problems, screenshots } = await walkScreens(
      context,
      preconditions,
      isReachable,
      context.ui,
    );
    context.screenshots.push(...screenshots);
    failIfAny(problems);
  },
});

/** Finds out which moves this backend can bring about. */
async function prepareJourneys(context: RunContext) {
  for (const name of sharedAccounts) await context.signedInUser(name);
  const preconditions = createPreconditions(context);
  const { unreachableMoves } = await journeyLog(context);
  for (const move of backendDependentMoves) {
    const reason = await preconditions.whyUnreachable(move);
    if (reason) unreachableMoves.set(move, reason);
  }
  const isReachable = (move: string) => !unreachableMoves.has(move.replace(/^late /, ''));
  return { preconditions, isReachable };
}

async function walkJourneys(
  context: RunContext,
  journeysFor: typeof authJourneys | typeof projectsJourneys,
) {
  const { preconditions, isReachable } = await prepareJourneys(context);
  const log = await journeyLog(context);
  const createDriver = (onExchange: Parameters<typeof createHttpDriver>[1]) =>
    createHttpDriver(preconditions, onExchange);
  const passwordOf = sharedPasswords(context.fixtures);
  const problems = [];
  for (const path of journeysFor(context.fixtures, isReachable)) {
    const journey = await walkJourney(path as never, createDriver, log, passwordOf);
    const { failure, exchanges, name } = journey;
    if (failure)
      problems.push(
        createProblem(
          `On the journey "${name}", at "${failure.move}": ${failure.message}.`,
          exchanges.slice(-3),
        ),
      );
  }
  failIfAny(problems);
}
