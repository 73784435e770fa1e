/** Holds how much a new region adds to the paths, on copies of `projects` with one more region. */
import { assign, createMachine, fromPromise } from 'xstate';
import { expect, test, vi } from 'vitest';
import { projectsMachine } from '../../../machines/projects.ts';
import {
  coarseCoverageItems,
  isProjectsScreenOpen,
  projectsModel,
  projectsPaths,
} from '../../../model/moves.ts';
import { regionsOf } from '../../../model/regions.ts';
import { isPossibleForBackend, unreachableForUsers } from '../../../model/unreachable.ts';
import { createCounter } from './coverage.ts';
import { longTestMs } from '../../support/time-limits.ts';

vi.setConfig({ testTimeout: longTestMs * 30 });

type ProjectsModel = typeof projectsModel;
type Snapshot = Parameters<typeof isProjectsScreenOpen>[0];

/** Returns `projects` with a fourth region of three states, which deletes a project. */
function withRemoveRegion(actionsOnSuccess: string[], on: object): ProjectsModel {
  const { config, implementations } = projectsMachine;
  const start = { target: 'removing', meta: { statements: ['DELETE-1'] } };
  const remove = {
    initial: 'idle',
    on,
    states: {
      idle: { on: { deleteProject: start } },
      removing: {
        entry: 'clearDeleteError',
        invoke: {
          id: 'deleteProject',
          src: 'deleteProject',
          onDone: [
            {
              guard: 'isDeleted',
              target: 'idle',
              actions: actionsOnSuccess,
              meta: { statements: ['DELETE-2'] },
            },
            { target: 'failed', actions: 'storeDeleteError', meta: { statements: ['DELETE-3'] } },
          ],
          onError: { target: 'failed', meta: { statements: ['DELETE-4'] } },
        },
      },
      failed: { on: { deleteProject: start } },
    },
  };
  const machine = createMachine({
    ...config,
    context: { ...(config.context as object), deleteError: undefined },
    states: { ...config.states, remove },
  } as never).provide({
    actors: { ...implementations.actors, deleteProject: fromPromise(async () => {}) },
    guards: { ...implementations.guards, isDeleted: ({ event }) => event['output'].ok },
    actions: {
      ...implementations.actions,
      clearDeleteError: assign({ deleteError: undefined }),
      storeDeleteError: assign({ deleteError: 'Refused.' }),
      deleteFirst: assign({ projects: ({ context }) => context['projects'].slice(1) }),
    },
    delays: implementations.delays,
  });
  const end = (type: 'done' | 'error', output?: object) => ({
    isPossible: ({ children }: Snapshot) => 'deleteProject' in children,
    event: () => ({ type: `xstate.${type}.actor.deleteProject`, output }),
  });
  const moves = {
    ...projectsModel.moves,
    deleteProject: {
      isPossible: (snapshot: Snapshot) =>
        isProjectsScreenOpen(snapshot) && snapshot.context.projects.length > 0,
      event: () => ({ type: 'deleteProject' }),
    },
    'deleteProject: success': end('done', { ok: true }),
    'deleteProject: refusal': end('done', { ok: false }),
    'deleteProject: errorWithoutMessage': end('done', { ok: false }),
    'deleteProject: unreachable': end('done', { ok: false }),
    'deleteProject: malformed': end('error'),
    'deleteProject: fault': end('error'),
  };
  return { machine: machine as never, moves };
}

/** Returns the paths that each driver walks. */
function pathsOf(model: ProjectsModel) {
  const fine = projectsPaths(undefined, undefined, model);
  return {
    oracle: fine,
    screens: fine,
    browser: projectsPaths(coarseCoverageItems, undefined, model),
    http: projectsPaths(coarseCoverageItems, isPossibleForBackend, model),
  };
}

function stepCount(paths: ReturnType<typeof pathsOf>): number {
  return Object.values(paths)
    .flat()
    .reduce((sum, { steps }) => sum + steps.length - 1, 0);
}

const stepsToday = stepCount(pathsOf(projectsModel));

/** Regions that are added to `projects` may be neighbors too. */
const isKnown = (region: string | undefined) =>
  ['list', 'create', 'subscription'].some((name) => region === `projects · ${name}`);

test.each([
  { what: 'interacts with none', actions: [], on: {}, neighbors: [] },
  {
    what: 'changes the rows and outdates the list',
    actions: ['deleteFirst', 'notifyList'],
    on: {},
    neighbors: ['projects · list', 'projects · create'],
  },
  {
    what: 'aborts its call at a sign-in',
    actions: [],
    on: { 'user.changed': '.idle' },
    neighbors: ['projects · list', 'projects · create'],
  },
])('a fourth region that $what adds at most half of the steps', ({ actions, on, neighbors }) => {
  const model = withRemoveRegion(actions, on);
  const remove = regionsOf(model.machine).find(({ states }) => states[0] === 'projects · remove')!;
  expect(remove.neighbors.map(({ states }) => states[0]).filter(isKnown)).toEqual(neighbors);

  const paths = pathsOf(model);
  const counter = createCounter([model.machine]);
  for (const { steps } of paths.screens) {
    for (const step of steps) counter.onStep(step, step.inspection);
  }
  expect(counter.missing()).toEqual(Object.keys(unreachableForUsers));
  expect(stepCount(paths)).toBeLessThanOrEqual(1.5 * stepsToday);
});
