/** The executable model of both machines: what can happen to each, and which paths are executed. */
import type {
  AnyEventObject,
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyStateNode,
  EventObject,
  SnapshotFrom,
} from 'xstate';
import { authMachine, type AuthEvent } from '../machines/auth.ts';
import { projectsMachine, type ProjectsEvent } from '../machines/projects.ts';
import type { Project } from '../machines/types.ts';
import {
  activeLeaves,
  ignoredEventName,
  leavesOf,
  stateName,
  transitionsFrom,
} from './inspection.ts';
import {
  callNames,
  definitionOf,
  fixtures,
  userEvent,
  type Call,
  type OutcomeOf,
} from './calls.ts';
import { outcomeEvent } from './outcomes.ts';
import {
  minimalCover,
  createPath,
  shortestPaths,
  type ActorsOf,
  type DelaysOf,
  type Interference,
  type Model,
  type Move,
  type Path,
  type Step,
} from './paths.ts';
import { regionKey, regionOf, regionsOf, statesIn } from './regions.ts';

type OutcomeName<Of extends Call> = { [Name in Of]: `${Name}: ${OutcomeOf<Name>}` }[Of];
type Elapsed<Delay extends string> = `${Delay} over`;

export type AuthMove = AuthEvent['type'] | OutcomeName<ActorsOf<typeof authMachine>>;
export type ProjectsMove =
  | ProjectsEvent['type']
  /** The user who signed in last signs in again. */
  | 'user.changed again'
  | OutcomeName<ActorsOf<typeof projectsMachine>>
  | Elapsed<DelaysOf<typeof projectsMachine>>;
type CallMove = Extract<ProjectsMove, Call | OutcomeName<Call>>;

export const authModel: Model<typeof authMachine, AuthMove> = {
  machine: authMachine,
  moves: {
    ...callMoves<typeof authMachine, AuthMove>(authMachine, () => true),
  },
};

type Projects = SnapshotFrom<typeof projectsMachine>;

/** Returns whether the projects screen is open. */
export const isProjectsScreenOpen = (snapshot: Projects) =>
  snapshot.matches({ subscription: 'active' });

export const projectsModel: Model<typeof projectsMachine, ProjectsMove> = {
  machine: projectsMachine,
  moves: {
    'projects.opened': {
      isPossible: (snapshot) => !isProjectsScreenOpen(snapshot),
      event: (): ProjectsEvent => ({ type: 'projects.opened' }),
    },
    'projects.closed': {
      isPossible: isProjectsScreenOpen,
      event: (): ProjectsEvent => ({ type: 'projects.closed' }),
    },
    'user.changed': {
      isPossible: () => true,
      event: (n, { context }): ProjectsEvent => ({
        type: 'user.changed',
        // The search for paths gives all steps the same number.
        email: [n, n + 1]
          .map((number) => fixtures.credentials(number).email)
          .find((email) => email !== context.email)!,
      }),
      preceding: visitLogin,
    },
    'user.changed again': {
      isPossible: ({ context }) => context.email !== undefined,
      event: (_, { context }): ProjectsEvent => ({ type: 'user.changed', email: context.email! }),
      preceding: visitLogin,
    },
    ...callMoves<typeof projectsMachine, CallMove>(projectsMachine, isProjectsScreenOpen),
    'subscriptionBatching over': delayMove('releasing', 'subscriptionBatching'),
    'keepUnusedData over': delayMove('cached', 'keepUnusedData'),
  },
};

/** The sign-in form is on another screen. The user comes back before the response arrives. */
function visitLogin(snapshot: Projects): ProjectsEvent[] {
  return isProjectsScreenOpen(snapshot)
    ? [{ type: 'projects.closed' }, { type: 'projects.opened' }]
    : [];
}

/**
 * Returns the moves of a machine's calls: that a user causes one, possible while `isInView`, and
 * each way in which one can end, possible while it is pending.
 */
function callMoves<Machine extends AnyStateMachine, Name extends string>(
  machine: Machine,
  isInView: (snapshot: SnapshotFrom<Machine>) => boolean,
): Record<Name, Move<Machine>> {
  const moves = callNames
    .filter((call) => call in machine.implementations.actors)
    .flatMap((call) => {
      const { outcomes, toEvent, control } = definitionOf(call);
      const ends = Object.keys(outcomes).map((outcome): [string, Move<Machine>] => [
        `${call}: ${outcome}`,
        moveOf(isPending(call), (n, rows) => outcomeEvent(call, outcome, n, rows)),
      ]);
      const start = moveOf<Machine>(
        (snapshot) => control?.place === 'header' || isInView(snapshot),
        (n, rows) => userEvent(call, n, rows),
      );
      return toEvent ? [[call, start] as const, ...ends] : ends;
    });
  return Object.fromEntries(moves) as Record<Name, Move<Machine>>;
}

/** Returns a move that is possible where `event` returns one. */
function moveOf<Machine extends AnyStateMachine>(
  isPossible: (snapshot: SnapshotFrom<Machine>) => boolean,
  event: (n: number, rows: readonly Project[]) => AnyEventObject | undefined,
): Move<Machine> {
  const rowsOf = ({ context }: AnyMachineSnapshot): Project[] => context['projects'] ?? [];
  return {
    isPossible: (snapshot) => isPossible(snapshot) && event(0, rowsOf(snapshot)) !== undefined,
    event: (n, snapshot) => event(n, rowsOf(snapshot))!,
  };
}

function isPending(call: Call) {
  return ({ children }: AnyMachineSnapshot): boolean => children[call] !== undefined;
}

function delayMove(
  state: 'releasing' | 'cached',
  delay: DelaysOf<typeof projectsMachine>,
): Move<typeof projectsMachine> {
  return {
    isPossible: (snapshot: Projects) => snapshot.matches({ subscription: state }),
    event: (): EventObject => ({ type: `xstate.after.${delay}.projects.subscription.${state}` }),
  };
}

/**
 * Returns what a step covers: each transition and ignored event by the move and the state of its
 * region, and each transition by the state of each neighbor of its region. A move that no region
 * handles counts in each state of each.
 */
export function coverageItems<Machine extends AnyStateMachine, Name extends string>({
  machine,
}: Model<Machine, Name>) {
  const regions = regionsOf(machine);
  return ({ inspection: { transitions, ignored }, move, before }: Step<Machine, Name>) => {
    const items = [...transitions, ...ignored];
    if (items.length === 0)
      return regions.map((region) => `${move} in ${statesIn(region, before)}`);
    return [
      ...items.map((item) => `${item} by ${move} in ${regionKey(regionOf(regions, item), before)}`),
      ...transitions.flatMap((item) =>
        regionOf(regions, item).neighbors.map((other) => `${item} in ${statesIn(other, before)}`),
      ),
    ];
  };
}

type CoverageItems = (step: Pick<Step<never, string>, 'inspection' | 'move'>) => string[];

/**
 * Returns what a step covers for a slow driver: its move, and each transition and ignored event by
 * the move alone.
 */
export const coarseCoverageItems: CoverageItems = ({ inspection, move }) => [
  move,
  ...[...inspection.transitions, ...inspection.ignored].map((item) => `${item} by ${move}`),
];

/** The outcomes that an aborted call can have later. */
const lateOutcomes = ['success', 'refusal'] as const;

/**
 * Returns paths on which aborted calls are answered late, in every state of the region that makes
 * them. They are the given paths with late responses added where they are possible.
 */
function lateResponsePaths<Machine extends AnyStateMachine, Name extends string>(
  model: Model<Machine, Name>,
  paths: Path<Machine, Name>[],
): Path<Machine, Name>[] {
  const late = leavesOf(model.machine).flatMap(lateResponsesIn);
  const missing = new Map(late.map(({ name, call }) => [name, call]));
  const chosen = withLateResponses(model, paths, missing);
  // A shortest path does not abort a call on its way to a state: search on from where one does.
  const searched = abortingMoves(paths, new Set(missing.values()));
  const longer = searched.flatMap((moves) => shortestPaths(model, moves));
  return [...chosen, ...withLateResponses(model, longer, missing)];
}

/** Returns the fewest moves that abort each of the calls. */
function abortingMoves<Machine extends AnyStateMachine, Name extends string>(
  paths: Path<Machine, Name>[],
  calls: Set<string>,
): Name[][] {
  const beginnings = paths.flatMap(({ steps }) =>
    steps.map((step, index) => ({ step, taken: steps.slice(1, index + 1) })),
  );
  const shortestFirst = beginnings.toSorted((one, other) => one.taken.length - other.taken.length);
  return [...calls].flatMap((call) => {
    const found = shortestFirst.find(({ step }) => step.abortedCalls.includes(call));
    return found ? [found.taken.map(({ move }) => move as Name)] : [];
  });
}

/** Adds late responses to paths until none that is missing can be added. */
function withLateResponses<Machine extends AnyStateMachine, Name extends string>(
  model: Model<Machine, Name>,
  paths: Path<Machine, Name>[],
  missing: Map<string, string>,
): Path<Machine, Name>[] {
  const candidates = paths.filter(({ steps }) => steps.some((step) => step.abortedCalls.length));
  const chosen: Path<Machine, Name>[] = [];
  const value = ({ moves, pairs }: { moves: unknown[]; pairs: unknown[] }) =>
    pairs.length / (moves.length + 1);
  for (;;) {
    const [best] = candidates
      .map((path) => addLateResponses(path, missing))
      .toSorted((left, right) => value(right) - value(left));
    if (!best || best.pairs.length === 0) return chosen;
    for (const pair of best.pairs) missing.delete(pair);
    chosen.push(createPath(model, best.moves));
  }
}

function addLateResponses<Machine extends AnyStateMachine, Name extends string>(
  { steps }: Path<Machine, Name>,
  missing: Map<string, string>,
) {
  const moves: (Name | Interference)[] = [];
  const pairs: string[] = [];
  const aborted: string[] = [];
  let usefulLength = 0;
  for (const { move, snapshot, abortedCalls } of steps) {
    if (move !== 'start') moves.push(move);
    aborted.push(...abortedCalls);
    for (const pair of activeLeaves(snapshot).flatMap(lateResponsesIn)) {
      const index = aborted.indexOf(pair.call);
      if (index === -1 || !missing.has(pair.name) || pairs.includes(pair.name)) continue;
      aborted.splice(index, 1);
      moves.push(pair.move);
      pairs.push(pair.name);
      usefulLength = moves.length;
    }
  }
  return { moves: moves.slice(0, usefulLength), pairs };
}

/** Returns each late response that can arrive in a state, with its name among the ignored pairs. */
export function lateResponsesIn(leaf: AnyStateNode) {
  const calls = Object.values<AnyStateNode>(leaf.parent!.states).flatMap(abortableCallsOf);
  return calls.flatMap((call) =>
    lateOutcomes.map((outcome) => {
      const move: Interference = `late ${call}: ${outcome}`;
      return { call, move, name: ignoredEventName(stateName(leaf), move) };
    }),
  );
}

/** Returns the calls of a state that an event other than their end can abort. */
function abortableCallsOf(state: AnyStateNode): string[] {
  const exits: string[] = [];
  for (let node: AnyStateNode | undefined = state; node; node = node.parent) {
    const transitions = transitionsFrom(node).filter(
      ({ target, reenter }) => target && (reenter || !target.includes(state) || node !== state),
    );
    exits.push(...transitions.map(({ eventType }) => eventType));
  }
  return state.invoke
    .map(({ id }) => id)
    .filter((id) => exits.some((type) => !type.endsWith(`.actor.${id}`)));
}

/**
 * Returns the delays of the other states of a region: each would end late if it were not stopped.
 */
export function lateDelaysIn(leaf: AnyStateNode): string[] {
  return Object.values<AnyStateNode>(leaf.parent!.states)
    .filter((state) => state !== leaf)
    .flatMap((state) => state.after.map(({ delay }) => `late ${String(delay)}`));
}

/** Delays that would end late, and a screen that closes several times. */
const lateTimers: (ProjectsMove | Interference)[] = [
  'late subscriptionBatching 500',
  'late keepUnusedData 60000',
  'projects.opened',
  'listProjects: success',
  'projects.closed',
  'elapse 499',
  'projects.opened',
  'late subscriptionBatching 1',
  'projects.closed',
  'subscriptionBatching over',
  'elapse 59999',
  'projects.opened',
  'late keepUnusedData 1',
  'projects.closed',
  'subscriptionBatching over',
  'elapse 59800',
  'projects.opened',
  'projects.closed',
  'late keepUnusedData 200',
  'projects.opened',
  'projects.closed',
  'subscriptionBatching over',
  'late subscriptionBatching 500',
];

/** Waits for the end of each delay: the paths skip a delay that is missing in the machine. */
const allDelays: ProjectsMove[] = [
  'projects.opened',
  'listProjects: success',
  'projects.closed',
  'subscriptionBatching over',
  'keepUnusedData over',
  'projects.opened',
];

/** Returns the paths of `auth` to execute. `isAllowed` tells the moves that a driver can make. */
export function authPaths(itemsOf = coverageItems(authModel), isAllowed = allMoves) {
  const paths = pathsOf(authModel, itemsOf, isAllowed);
  const isElsewhere = ({ moves }: (typeof paths)[number]) => moves.at(-1)!.includes('registerUser');
  return paths.map((path) => (isElsewhere(path) ? extend(authModel, path, 'login') : path));
}

/** Returns the paths of `projects` to execute. */
export function projectsPaths(
  itemsOf?: (step: Step<typeof projectsMachine, ProjectsMove>) => string[],
  isAllowed = allMoves,
  model = projectsModel,
) {
  const paths = pathsOf(model, itemsOf ?? coverageItems(model), isAllowed);
  const isElsewhere = ({ steps }: (typeof paths)[number]) =>
    !isProjectsScreenOpen(steps.at(-1)!.snapshot);
  return [
    ...paths.map((path) => (isElsewhere(path) ? extend(model, path, 'projects.opened') : path)),
    createPath(model, lateTimers),
    createPath(model, allDelays),
  ];
}

/**
 * Returns a path that ends with one more move: it leads to the screen that shows what the steps
 * before it did on another screen.
 */
function extend<Machine extends AnyStateMachine, Name extends string>(
  model: Model<Machine, Name>,
  { moves }: Path<Machine, Name>,
  move: Name,
) {
  return createPath(model, [...moves, move]);
}

/** Returns paths that together have every item, and paths with late responses. */
function pathsOf<Machine extends AnyStateMachine, Name extends string>(
  model: Model<Machine, Name>,
  itemsOf: (step: Step<Machine, Name>) => string[],
  isAllowed: (move: string) => boolean,
): Path<Machine, Name>[] {
  const allowed = filterMoves(model, isAllowed);
  const paths = shortestPaths(allowed);
  return [...minimalCover(paths, itemsOf), ...lateResponsePaths(allowed, paths)];
}

const allMoves: (move: string) => boolean = () => true;

function filterMoves<Machine extends AnyStateMachine, Name extends string>(
  model: Model<Machine, Name>,
  isAllowed: (move: string) => boolean,
): Model<Machine, Name> {
  const moves = Object.entries<Move<Machine>>(model.moves).filter(([name]) => isAllowed(name));
  return { ...model, moves: Object.fromEntries(moves) as typeof model.moves };
}
