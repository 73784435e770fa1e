import type { AuthEvent } from '../../machines/auth.ts';
import type { ProjectsEvent } from '../../machines/projects.ts';
import {
  auth,
  authPaths,
  fewCoverageItems,
  projects,
  projectsPaths,
  type AuthMove,
} from '../../model/moves.ts';
import { pathOf, type Interference } from '../../model/paths.ts';
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
      ...auth.moves[type],
      event(n: number): AuthEvent {
        const name = signsIn(moves, n - offset - 1) ? 'ada' : `${namePrefix}-${n}`;
        const credentials = { email: fixtures.email(name), password: fixtures.password(name) };
        return { type, credentials };
      },
    });
    const events = { login: eventMove('login'), registerUser: eventMove('registerUser') };
    return pathOf({ ...auth, moves: { ...auth.moves, ...events } }, moves, offset);
  });
}

/** Returns the paths of the projects machine that a backend can execute. */
export function projectsJourneys(fixtures: Fixtures, isPossible: IsPossible) {
  const createProject = {
    ...projects.moves.createProject,
    event: (n: number): ProjectsEvent => ({
      type: 'createProject',
      project: fixtures.project(`on journey ${n}`),
    }),
  };
  const model = { ...projects, moves: { ...projects.moves, createProject } };
  return searchPaths('projects', isPossible, projectsPaths).map(({ moves }, index) =>
    pathOf(model, moves, (index + 1) * 1_000),
  );
}

/** Returns whether the login at `index` succeeds. It then uses an account that already exists. */
function signsIn(moves: (AuthMove | Interference)[], index: number): boolean {
  if (moves[index] !== 'login') return false;
  const ending = moves.slice(index + 1).find((move) => /^(late )?login: /.test(move));
  return ending?.endsWith('success') ?? false;
}

const searchCache = new Map<string, unknown>();

/** Searches the paths of a machine. Cached, because a search takes half a second. */
function searchPaths<Paths>(
  machine: string,
  isPossible: IsPossible,
  search: (coverageItems: typeof fewCoverageItems, isAllowed: IsPossible) => Paths,
): Paths {
  const key = [machine, ...backendDependentMoves.filter(isPossible)].join();
  const paths =
    (searchCache.get(key) as Paths | undefined) ??
    search(fewCoverageItems, (move) => isPossibleForBackend(move) && isPossible(move));
  searchCache.set(key, paths);
  return paths;
}
