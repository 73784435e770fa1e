import type { AuthEvent } from '../../machines/auth.ts';
import type { ProjectsEvent } from '../../machines/projects.ts';
import { pathOf, type Interference } from '../../model/paths.ts';
import { isPossibleForBackend } from '../../model/unreachable.ts';
import {
  auth,
  authPaths,
  fewCoverageItems,
  projects,
  projectsPaths,
  type AuthMove,
  type ProjectsMove,
} from '../../model/moves.ts';
import type { Fixtures } from '../fixtures.ts';

/** The paths through the machine of authentication that a backend can be made to walk, told with the kit's own people. */
export function accountPaths(
  fixtures: Fixtures,
  possible: (move: string) => boolean,
  where = 'journey',
) {
  return found('auth', possible, authPaths).map(({ moves }, index) => {
    const from = (index + 1) * 1_000;
    const credentials = (n: number) =>
      credentialsFor(fixtures, moves, n - from - 1, `${where}-${n}`);
    const event = (type: AuthEvent['type']) => ({
      ...auth.moves[type],
      event: (n: number): AuthEvent => ({ type, credentials: credentials(n) }),
    });
    const told = { ...auth.moves, login: event('login'), registerUser: event('registerUser') };
    return pathOf({ ...auth, moves: told }, moves, from);
  });
}

/** The same through the machine of projects. */
export function projectPaths(fixtures: Fixtures, possible: (move: string) => boolean) {
  return found('projects', possible, projectsPaths).map(({ moves }, index) => {
    const createProject = {
      ...projects.moves.createProject,
      event: (n: number): ProjectsEvent => ({
        type: 'createProject',
        project: fixtures.project(`on journey ${n}`),
      }),
    };
    return pathOf(
      { ...projects, moves: { ...projects.moves, createProject } },
      moves,
      (index + 1) * 1_000,
    );
  });
}

/** What not every backend can be brought to. */
export const uncertainMoves = [
  'listProjects: refusal',
  'createProject: refusal',
  'listProjects: empty',
];

const searched = new Map<string, unknown>();

/** Searching takes half a second, and finds the same for the same moves. */
function found<Paths>(
  machine: string,
  possible: (move: string) => boolean,
  search: (parts: typeof fewCoverageItems, may: (move: string) => boolean) => Paths,
): Paths {
  const key = [machine, ...uncertainMoves.filter(possible)].join();
  const known =
    (searched.get(key) as Paths | undefined) ??
    search(fewCoverageItems, (move) => isPossibleForBackend(move) && possible(move));
  searched.set(key, known);
  return known;
}

/** Whoever will be let in is ada, whoever will register is somebody new, and nobody knows the others. */
function credentialsFor(
  fixtures: Fixtures,
  moves: (AuthMove | ProjectsMove | Interference)[],
  index: number,
  stranger: string,
) {
  const endsWell =
    moves[index] === 'login' &&
    moves
      .slice(index + 1)
      .find((move) => /^(late )?login: /.test(move))
      ?.endsWith('success');
  const name = endsWell ? 'ada' : stranger;
  return { email: fixtures.email(name), password: fixtures.password(name) };
}
