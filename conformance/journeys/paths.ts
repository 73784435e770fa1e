import type { SnapshotFrom } from 'xstate';
import type { AuthEvent } from '../../machines/auth.ts';
import type { projectsMachine, ProjectsEvent } from '../../machines/projects.ts';
import {
  authModel,
  authPaths,
  coarseCoverageItems,
  projectsModel,
  projectsPaths,
} from '../../model/moves.ts';
import { callNames } from '../../model/calls.ts';
import type { PasswordOf } from '../../model/driver.ts';
import { createPath } from '../../model/paths.ts';
import { isPossibleForBackend } from '../../model/unreachable.ts';
import type { Fixtures } from '../fixtures.ts';

type AuthStep = ReturnType<typeof authPaths>[number]['steps'][number];
type IsPossible = (move: string) => boolean;

/** Journeys sign in with these accounts, because each registration is expensive. */
export const sharedAccounts = ['ada', 'bob'];

/** Returns the password of each shared account. */
export const sharedPasswords =
  (fixtures: Fixtures): PasswordOf =>
  (email) =>
    fixtures.password(sharedAccounts.find((name) => fixtures.email(name) === email)!);

/** Moves that not every backend can make. */
export const backendDependentMoves = [
  ...callNames.map((call) => `${call}: refusal`),
  'listProjects: empty',
];

/** Returns the paths of the auth machine that a backend can execute, with the kit's accounts. */
export function authJourneys(fixtures: Fixtures, isPossible: IsPossible, namePrefix = 'journey') {
  return searchPaths('auth', isPossible, authPaths).map(({ moves, steps }, index) => {
    const successful = successfulLogins(steps);
    const offset = (index + 1) * 1_000;
    const eventMove = (type: AuthEvent['type']) => ({
      ...authModel.moves[type],
      event(n: number): AuthEvent {
        const name = successful.has(steps[n - offset]!) ? 'ada' : `${namePrefix}-${n}`;
        const credentials = { email: fixtures.email(name), password: fixtures.password(name) };
        return { type, credentials };
      },
    });
    const events = { login: eventMove('login'), registerUser: eventMove('registerUser') };
    return createPath({ ...authModel, moves: { ...authModel.moves, ...events } }, moves, offset);
  });
}

/** Returns the paths of the projects machine that a backend can execute. */
export function projectsJourneys(fixtures: Fixtures, isPossible: IsPossible) {
  const createProject = {
    ...projectsModel.moves.createProject,
    event: (n: number): ProjectsEvent => ({
      type: 'createProject',
      project: fixtures.project(`on journey ${n}`),
    }),
  };
  // Another account than before, because the numbers of steps are no accounts.
  const login = {
    ...projectsModel.moves['user.changed'],
    event: (_: number, { context }: SnapshotFrom<typeof projectsMachine>): ProjectsEvent => ({
      type: 'user.changed',
      email: sharedAccounts.map(fixtures.email).find((email) => email !== context.email)!,
    }),
  };
  const moves = { ...projectsModel.moves, createProject, 'user.changed': login };
  const model = { ...projectsModel, moves };
  return searchPaths('projects', isPossible, projectsPaths).map((path, index) =>
    createPath(model, path.moves, (index + 1) * 1_000),
  );
}

/** Returns the sign-ins that succeed, late or not. They use an account that already exists. */
function successfulLogins(steps: AuthStep[]): Set<AuthStep> {
  const successful = new Set<AuthStep>();
  const aborted: AuthStep[] = [];
  let pending: AuthStep | undefined;
  for (const step of steps) {
    if (pending && step.abortedCalls.includes('login')) aborted.push(pending);
    if (step.inspection.invoked.includes('login')) pending = step;
    if (pending && step.move === 'login: success') successful.add(pending);
    if (!step.move.startsWith('late login: ')) continue;
    // A backend answers the aborted calls in their order.
    const answered = aborted.shift()!;
    if (step.move === 'late login: success') successful.add(answered);
  }
  return successful;
}

const searchCache = new Map<string, unknown>();

/** Searches the paths of a machine. Cached, because a search takes half a second. */
function searchPaths<Paths>(
  machine: string,
  isPossible: IsPossible,
  search: (coverageItems: typeof coarseCoverageItems, isAllowed: IsPossible) => Paths,
): Paths {
  const key = [machine, ...backendDependentMoves.filter(isPossible)].join();
  const paths =
    (searchCache.get(key) as Paths | undefined) ??
    search(coarseCoverageItems, (move) => isPossibleForBackend(move) && isPossible(move));
  searchCache.set(key, paths);
  return paths;
}
