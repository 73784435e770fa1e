import type {
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyStateNode,
  EventObject,
  SnapshotFrom,
} from 'xstate';
import { authMachine, type AuthEvent } from '../machines/auth.ts';
import { projectsMachine, type ProjectsEvent } from '../machines/projects.ts';
import {
  minimalCover,
  pathOf,
  pathsThrough,
  type ActorsOf,
  type Interference,
  type DelaysOf,
  type Model,
  type Move,
  type Path,
  type Step,
} from './paths.ts';
import { ignoredName, leavesOf, nameOf, type Inspection } from './inspection.ts';
import { endingEvent, endingsOf, fixtures, type Call, type EndingOf } from './outcomes.ts';

type Ended<Of extends Call> = { [One in Of]: `${One}: ${EndingOf<One>}` }[Of];
type Elapsed<Delay extends string> = `${Delay} over`;

export type AuthMove = AuthEvent['type'] | Ended<ActorsOf<typeof authMachine>>;

/** What the machine tells itself, so that nobody outside can. */
export type InternalEvent = 'project.created';
export type ProjectsMove =
  | Exclude<ProjectsEvent['type'], InternalEvent>
  | Ended<ActorsOf<typeof projectsMachine>>
  | Elapsed<DelaysOf<typeof projectsMachine>>;

export const auth: Model<typeof authMachine, AuthMove> = {
  machine: authMachine,
  stateKey: ({ context }) => [context.user !== undefined, context.loginErrorMessage !== undefined],
  moves: {
    login: {
      possible: () => true,
      event: (n): AuthEvent => ({ type: 'login', credentials: fixtures.credentials(n) }),
    },
    registerUser: {
      possible: () => true,
      event: (n): AuthEvent => ({ type: 'registerUser', credentials: fixtures.credentials(n) }),
    },
    ...ends<typeof authMachine, 'login'>('login'),
    ...ends<typeof authMachine, 'registerUser'>('registerUser'),
  },
};

type Projects = SnapshotFrom<typeof projectsMachine>;

export const projects: Model<typeof projectsMachine, ProjectsMove> = {
  machine: projectsMachine,
  stateKey: ({ context }) => [
    context.projects.length > 0,
    context.createErrorMessage !== undefined,
    context.submitted !== undefined,
  ],
  moves: {
    'projects.opened': {
      possible: (snapshot) => !snapshot.matches({ watch: 'open' }),
      event: (): ProjectsEvent => ({ type: 'projects.opened' }),
    },
    'projects.closed': {
      possible: (snapshot) => snapshot.matches({ watch: 'open' }),
      event: (): ProjectsEvent => ({ type: 'projects.closed' }),
    },
    // Somebody signs in. While the screen is open, the app opens it anew at once, which is told by stories of their own.
    'projects.dropped': {
      possible: (snapshot) => !snapshot.matches({ watch: 'open' }),
      event: (): ProjectsEvent => ({ type: 'projects.dropped' }),
    },
    createProject: {
      possible: (snapshot) => snapshot.matches({ watch: 'open' }),
      event: (n): ProjectsEvent => ({ type: 'createProject', project: fixtures.newProject(n) }),
    },
    ...ends<typeof projectsMachine, 'listProjects'>('listProjects'),
    ...ends<typeof projectsMachine, 'createProject'>('createProject', {
      known: (snapshot) => snapshot.context.projects.length > 0,
    }),
    'batching over': over('closing', 'batching'),
    'keeping over': over('kept', 'keeping'),
  },
};

/** The ways in which a call can end, while it is pending. */
function ends<Machine extends typeof authMachine | typeof projectsMachine, Of extends Call>(
  call: Of,
  only: { [Ending in EndingOf<Of>]?: (snapshot: SnapshotFrom<Machine>) => boolean } = {},
): Record<Ended<Of>, Move<Machine>> {
  const moves = endingsOf(call).map((ending): [string, Move<Machine>] => [
    `${call}: ${ending}`,
    {
      possible: (snapshot) => isPending(snapshot, call) && (only[ending]?.(snapshot) ?? true),
      event: (n, snapshot) => endingEvent(call, ending, n, firstListed(snapshot)),
    },
  ]);
  return Object.fromEntries(moves) as Record<Ended<Of>, Move<Machine>>;
}

function isPending({ children }: AnyMachineSnapshot, call: Call): boolean {
  return children[call] !== undefined;
}

function firstListed({ context }: AnyMachineSnapshot): string | undefined {
  return 'projects' in context ? context['projects'][0]?.id : undefined;
}

function over(
  state: 'closing' | 'kept',
  delay: DelaysOf<typeof projectsMachine>,
): Move<typeof projectsMachine> {
  return {
    possible: (snapshot: Projects) => snapshot.matches({ watch: state }),
    event: (): EventObject => ({ type: `xstate.after.${delay}.projects.watch.${state}` }),
  };
}

/** What a step is worth walking for: each transition, and each ignored event, by each move, from each situation that matters. */
export const coverageItems =
  <Machine extends AnyStateMachine, Name extends string>({
    stateKey: matters,
  }: Model<Machine, Name>) =>
  ({ inspection, move, before }: Step<Machine, Name>): string[] =>
    [...inspection.transitions, ...inspection.ignored].map((part) =>
      JSON.stringify([part, move, matters(before)]),
    );

/** The endings that a call has when nobody waits for it any more. */
const lateEndings = ['success', 'refusal'] as const;

/**
 * Paths on which calls that were given up are answered late, in every state of the part of the machine that makes them. They
 * are the given paths, with the late answers added where they can come.
 */
export function withLateAnswers<Machine extends AnyStateMachine, Name extends string>(
  model: Model<Machine, Name>,
  paths: Path<Machine, Name>[],
): Path<Machine, Name>[] {
  const had = new Set<string>();
  const chosen: Path<Machine, Name>[] = [];
  for (;;) {
    const best = paths
      .map((path) => addLateAnswers(path, had))
      .reduce((one, other) => (worthOf(other) > worthOf(one) ? other : one));
    if (best.pairs.length === 0) return chosen;
    for (const pair of best.pairs) had.add(pair);
    chosen.push(pathOf(model, best.moves));
  }
}

function addLateAnswers<Machine extends AnyStateMachine, Name extends string>(
  { steps }: Path<Machine, Name>,
  had: Set<string>,
) {
  const moves: (Name | Interference)[] = [];
  const pairs: string[] = [];
  const waiting: string[] = [];
  let useful = 0;
  for (const { move, snapshot, abortedCalls } of steps) {
    if (move !== 'start') moves.push(move);
    waiting.push(...abortedCalls);
    for (const pair of latePairs(snapshot)) {
      const index = waiting.indexOf(pair.call);
      if (index === -1 || had.has(pair.name) || pairs.includes(pair.name)) continue;
      waiting.splice(index, 1);
      moves.push(pair.move);
      pairs.push(pair.name);
      useful = moves.length;
    }
  }
  return { moves: moves.slice(0, useful), pairs };
}

const worthOf = ({ moves, pairs }: { moves: unknown[]; pairs: unknown[] }) =>
  pairs.length / (moves.length + 1);

/** Each late answer that can come in a state, and what it is called there. */
export function latePairs(
  snapshot: AnyMachineSnapshot,
): { call: string; move: Interference; name: string }[] {
  return leavesOf(snapshot).flatMap(latePairsIn);
}

export function latePairsIn(leaf: AnyStateNode) {
  const calls = Object.values<AnyStateNode>(leaf.parent!.states).flatMap((state) =>
    state.invoke.map(({ id }) => id),
  );
  return calls.flatMap((call) =>
    lateEndings.map((ending) => {
      const move: Interference = `late ${call}: ${ending}`;
      return { call, move, name: ignoredName(nameOf(leaf), move) };
    }),
  );
}

/** Each delay that is not running in a state, as it would run out there if nobody had stopped it. */
export function lateTimersIn(leaf: AnyStateNode): string[] {
  const delays = Object.values<AnyStateNode>(leaf.parent!.states)
    .filter((state) => state !== leaf)
    .flatMap((state) => state.after.map(({ delay }) => String(delay)));
  return delays.map((delay) => `late ${delay}`);
}

/** Delays that would run out late, and a screen that closes more than once. */
const lateTimers: (ProjectsMove | Interference)[] = [
  'late batching 500',
  'late keeping 60000',
  'projects.opened',
  'listProjects: success',
  'projects.closed',
  'elapse 499',
  'projects.opened',
  'late batching 1',
  'projects.closed',
  'batching over',
  'elapse 59999',
  'projects.opened',
  'late keeping 1',
  'projects.closed',
  'batching over',
  'elapse 59800',
  'projects.opened',
  'projects.closed',
  'late keeping 200',
  'projects.opened',
  'projects.closed',
  'batching over',
  'late batching 500',
];

/** To the end of each delay, which a machine without one of them would never come to by itself. */
const allOver: ProjectsMove[] = [
  'projects.opened',
  'listProjects: success',
  'projects.closed',
  'batching over',
  'keeping over',
  'projects.opened',
];

/** In each state of auth, with calls of both kinds that were given up. */
const givenUp: AuthMove[] = [
  ...Array.from({ length: 9 }, (): AuthMove[] => ['login', 'registerUser']).flat(),
  'registerUser: refusal',
  'login',
  'login: success',
];

const all = () => true;

/** All that is worth walking by these moves, and all that comes late. */
export function authPaths(parts = coverageItems(auth), may: (move: string) => boolean = all) {
  const paths = pathsThrough(limited(auth, may));
  const late = withLateAnswers(auth, [...paths, pathOf(auth, givenUp)]);
  return [...minimalCover(paths, parts), ...late];
}

/** All that is worth walking by these moves, and all that comes late. */
export function projectsPaths(
  parts = coverageItems(projects),
  may: (move: string) => boolean = all,
) {
  const paths = pathsThrough(limited(projects, may));
  const late = withLateAnswers(projects, paths);
  return [
    ...minimalCover(paths, parts),
    ...late,
    pathOf(projects, lateTimers),
    pathOf(projects, allOver),
  ];
}

function limited<Machine extends AnyStateMachine, Name extends string>(
  model: Model<Machine, Name>,
  may: (move: string) => boolean,
): Model<Machine, Name> {
  const moves = Object.entries<Move<Machine>>(model.moves).filter(([name]) => may(name));
  return { ...model, moves: Object.fromEntries(moves) as typeof model.moves };
}

/** For a driver that takes its time: each transition and each move, from one situation and not from all. */
export function fewCoverageItems({
  inspection,
  move,
}: {
  inspection: Inspection;
  move: string;
}): string[] {
  return [...inspection.transitions, ...inspection.ignored].map((part) => `${part} by ${move}`);
}
