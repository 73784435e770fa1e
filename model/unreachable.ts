import { transitionsOf } from './paths.ts';
import { auth, projects } from './moves.ts';
import { ignoredName } from './inspection.ts';

/** What nobody can do on the screens. */
export const unreachableForUsers: Record<string, string> = Object.fromEntries(
  ['closed', 'closing', 'kept'].map((state) => [
    ignoredName(`projects · watch.${state}`, 'projects.closed'),
    'a screen that is closed cannot be closed again',
  ]),
);

/** Moves that our backend can be brought to make: it keeps its contract, and answers with a message or not at all. */
export const isPossibleForBackend = (move: string) => !/: (odd|silence|fault|known)$/.test(move);

const drawn = [auth.machine, projects.machine].flatMap(transitionsOf);
const failures = drawn.filter(({ name }) => name.includes('xstate.error.'));
const others = drawn.filter((transition) => !failures.includes(transition));

/** What no backend that keeps the contract can make happen. */
export const unreachableForBackends: Record<string, string> = {
  ...unreachableForUsers,
  ...Object.fromEntries(
    failures.map(({ name }) => [
      name,
      'it takes a body that breaks the contract, or a fault of the app',
    ]),
  ),
  ...Object.fromEntries(
    failures
      .flatMap(({ statements }) => statements)
      .filter((statement) => !others.some(({ statements }) => statements.includes(statement)))
      .map((statement) => [statement, 'only transitions carry it that no backend can cause']),
  ),
};
