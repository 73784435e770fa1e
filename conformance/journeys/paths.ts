import type { AuthEvent } from '../../machines/auth.ts';
import type { ProjectsEvent } from '../../machines/projects.ts';
import {
  authModel,
  authPaths,
  coarseCoverageItems,
  projectsModel,
  projectsPaths,
  type AuthMove,
} from '../../model/moves.ts';
import { createPath, type Interference } from '../../model/paths.ts';
import { isPossibleForBackend } from '../../model/unreachable.ts';
import type { Fixtures } from '../fixtures.ts';

type IsPossible = (move: string) => boolean;

/** Moves that not every backend can make. */
export const backendDependentMoves = [
  'listProjects: refusal',
  'createProject: refusal',
  'listProjects: empty',
];

/** Returns the paths of the auth machine that a backend can execute, with the kit's accounts. */
export function authJourneys(fixtures: Fixtures, isPossible: IsPossible, namePrefix = 'journey') {
  return searchPaths('auth', isPossible, authPaths).map(({ moves }, index) => {
    const offset = (index + 1) * 1_000;
    const eventMove = (type: AuthEvent['type']) => ({
      ...authModel.moves[type],
      event(n: number): AuthEvent {
        const name = isSuccessfulLogin(moves, n - offset - 1) ? 'ada' : `${namePrefix}-${n}`;
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
  const model = { ...projectsModel, moves: { ...projectsModel.moves, createProject } };
  return searchPaths('projects', isPossible, projectsPaths).map(({ moves }, index) =>
    createPath(model, moves, (index + 1) * 1_000),
  );
}

/** Returns whether the login at `index` succeeds. It then uses an account that already exists. */
function isSuccessfulLogin(moves: (AuthMove | Interference)[], index: number): boolean {
  if (moves[index] !== 'login') return false;
  const outcome = moves.slice(index + 1).find((move) => /^(late )?login: /.test(move));
  return outcome?.endsWith('success') ?? false;
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
