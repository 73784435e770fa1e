/** What a driver cannot reach, by the names of the coverage, with the reason. */
import { ignoredEventName, transitionsOf } from './inspection.ts';
import { authModel, projectsModel } from './moves.ts';

/** What no user can do on the screens. */
export const unreachableForUsers: Record<string, string> = Object.fromEntries(
  ['inactive', 'releasing', 'cached'].map((state) => [
    ignoredEventName(`projects · subscription.${state}`, 'projects.closed'),
    'a closed screen cannot close',
  ]),
);

/** Returns whether a backend that keeps the contract can make this move. */
export const isPossibleForBackend = (move: string) =>
  !/: (malformed|errorWithoutMessage|fault|duplicate)$/.test(move);

const transitions = [authModel.machine, projectsModel.machine].flatMap(transitionsOf);
const exceptions = transitions.filter(({ name }) => name.includes('xstate.error.'));
const otherStatements = new Set(
  transitions
    .filter((transition) => !exceptions.includes(transition))
    .flatMap(({ statements }) => statements),
);

/** What no backend that keeps the contract can cause. */
export const unreachableForBackends: Record<string, string> = {
  ...unreachableForUsers,
  ...Object.fromEntries(
    exceptions.map(({ name }) => [name, 'needs a body that breaks the contract, or an app fault']),
  ),
  ...Object.fromEntries(
    exceptions
      .flatMap(({ statements }) => statements)
      .filter((statement) => !otherStatements.has(statement))
      .map((statement) => [statement, 'only transitions carry it that no backend can cause']),
  ),
};
