/**
 * Turns a machine into paths that take every transition. Only this file knows `@xstate/test` and
 * `@xstate/graph`.
 *
 * The generators of `@xstate/test` reject machines that invoke actors. So its `TestModel` gets
 * paths that `@xstate/graph` finds on the real machine: the end of a call or of a delay is an event
 * like any other, offered only while the call or delay is running.
 */
import { getShortestPaths } from '@xstate/graph';
import { TestModel } from '@xstate/test';
import {
  createActor,
  fromPromise,
  initialTransition,
  SimulatedClock,
  transition,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type SnapshotFrom,
} from 'xstate';
import { createInspector, type Inspection } from './inspection.ts';
import { createNoveltyFilter, regionKey, regionsOf } from './regions.ts';

type Implementations<Machine extends AnyStateMachine> = Parameters<Machine['provide']>[0];

/** The names of the actors that a machine invokes. */
export type ActorsOf<Machine extends AnyStateMachine> = keyof NonNullable<
  Implementations<Machine>['actors']
> &
  string;

/** The names of a machine's delays. */
export type DelaysOf<Machine extends AnyStateMachine> = keyof NonNullable<
  Implementations<Machine>['delays']
> &
  string;

/** The names of a machine's states: `loggingIn`, or `list.loading` in a parallel machine. */
export type StatesOf<Machine extends AnyStateMachine> = NamesIn<SnapshotFrom<Machine>['value']>;
type NamesIn<Value> = Value extends string
  ? Value
  : {
      [Region in keyof Value & string]: `${Region}.${NamesIn<Value[Region]>}`;
    }[keyof Value & string];

/** Something that a user, a backend or the clock can do to a machine. */
export type Move<Machine extends AnyStateMachine> = {
  isPossible: (snapshot: SnapshotFrom<Machine>) => boolean;
  /** Returns the event that the machine receives. `n` differs for each step. */
  event: (n: number, snapshot: SnapshotFrom<Machine>) => AnyEventObject;
  /** Returns the events that a user causes on the way to this one. Default: none. */
  preceding?: (snapshot: SnapshotFrom<Machine>) => AnyEventObject[];
};

export type Model<Machine extends AnyStateMachine, Name extends string> = {
  machine: Machine;
  moves: Record<Name, Move<Machine>>;
};

/** Something that happens around a machine and must not reach it: a late response, time. */
export type Interference = `late ${string}` | `elapse ${number}`;

export type Step<Machine extends AnyStateMachine, Name extends string> = {
  move: Name | Interference | 'start';
  event: AnyEventObject;
  before: SnapshotFrom<Machine>;
  snapshot: SnapshotFrom<Machine>;
  emitted: AnyEventObject[];
  inspection: Inspection;
  /** The calls that were aborted before they ended. */
  abortedCalls: string[];
};

export type Path<Machine extends AnyStateMachine, Name extends string> = {
  name: string;
  moves: (Name | Interference)[];
  steps: Step<Machine, Name>[];
  /** Performs each step, then calls the check of every state that the machine is in. */
  test: (driver: {
    perform: (step: Step<Machine, Name>) => Promise<void>;
    states: Record<StatesOf<Machine>, (step: Step<Machine, Name>) => Promise<void>>;
  }) => Promise<void>;
};

/**
 * Returns paths that take every transition of a region by every move, from every state that the
 * region and two of its neighbors have together. The product of all regions is not explored. They
 * start with the moves `first`.
 */
export function shortestPaths<Machine extends AnyStateMachine, Name extends string>(
  model: Model<Machine, Name>,
  first: Name[] = [],
): Path<Machine, Name>[] {
  const regions = regionsOf(model.machine);
  const isNew = createNoveltyFilter(regions);
  const moves = Object.entries<Move<Machine>>(model.moves);
  const keyOf = (snapshot: AnyMachineSnapshot) =>
    regions.map((region) => regionKey(region, snapshot));
  const machine: AnyStateMachine = model.machine;
  let [fromState] = initialTransition(machine) as [AnyMachineSnapshot, unknown];
  for (const name of first) {
    const event = model.moves[name].event(0, fromState as SnapshotFrom<Machine>);
    [fromState] = transition(machine, fromState, event);
  }
  return createTestModel(model)
    .getPaths((logic, options) => getShortestPaths(logic as never, options as never) as never, {
      fromState,
      // The search is breadth first. It asks for the events of each snapshot once.
      events: (snapshot) =>
        (isNew(snapshot) ? moves : [])
          .filter(([, { isPossible }]) => isPossible(snapshot as SnapshotFrom<Machine>))
          .map(([move, { event }]) => ({ ...event(0, snapshot as SnapshotFrom<Machine>), move })),
      // The event and its source are part of the key: otherwise a shortest path to the same state
      // would hide the other transitions to it.
      serializeState: (snapshot, event, previous) =>
        JSON.stringify([keyOf(snapshot), event?.['move'], previous && keyOf(previous)]),
    })
    .map((path) =>
      createPath(model, [
        ...first,
        ...path.steps.slice(1).map(({ event }) => event['move'] as Name),
      ]),
    );
}

/** Returns the path of these moves. The numbers of its events start after `offset`. */
export function createPath<Machine extends AnyStateMachine, Name extends string>(
  model: Model<Machine, Name>,
  moves: (Name | Interference)[],
  offset = 0,
): Path<Machine, Name> {
  const testModel = createTestModel(model);
  const steps = replay(model, moves, offset);
  return {
    name: moves.join(', '),
    moves,
    steps,
    async test({ perform, states }) {
      let step = steps[0]!;
      const performEvent = ({ event }: { event: AnyEventObject }) => {
        step = steps.find((candidate) => candidate.event === event)!;
        return perform(step);
      };
      const checks = Object.entries<(step: Step<Machine, Name>) => Promise<void>>(states);
      await testModel.testPath(
        {
          state: steps.at(-1)!.snapshot,
          weight: moves.length,
          steps: steps.map(({ event, snapshot: state }) => ({ event, state })),
        },
        {
          events: Object.fromEntries(steps.map(({ event }) => [event.type, performEvent])),
          states: Object.fromEntries(checks.map(([name, check]) => [name, () => check(step)])),
        },
      );
    },
  };
}

function createTestModel<Machine extends AnyStateMachine, Name extends string>({
  machine,
}: Model<Machine, Name>) {
  return new TestModel<AnyMachineSnapshot, AnyEventObject, unknown>(machine as never, {
    serializeEvent: ({ move, type }) => String(move ?? type),
    serializeState: ({ value }) => JSON.stringify(value),
    stateMatcher: (snapshot, state) => snapshot.matches(state),
  });
}

/**
 * Returns what the machine does when these moves happen one after another. The states of a shortest
 * path are of no use for this, because they carry the context of other paths.
 */
function replay<Machine extends AnyStateMachine, Name extends string>(
  { machine, moves }: Model<Machine, Name>,
  names: (Name | Interference)[],
  offset: number,
): Step<Machine, Name>[] {
  const { inspect, take } = createInspector();
  const actor = createActor(withPendingCalls(machine), { inspect, clock: new SimulatedClock() });
  let emitted: AnyEventObject[] = [];
  actor.on('*', (event) => emitted.push(event));
  const now = () => actor.getSnapshot() as SnapshotFrom<Machine>;

  const steps: Step<Machine, Name>[] = [];
  const addStep = (
    move: Step<Machine, Name>['move'],
    event: AnyEventObject,
    before: SnapshotFrom<Machine>,
  ) => {
    const snapshot = now();
    const abortedCalls = abortedCallsBetween(before, snapshot, event);
    steps.push({ move, event, before, snapshot, emitted, inspection: take(), abortedCalls });
  };

  actor.start();
  addStep('start', { type: 'xstate.init' }, now());
  for (const [index, name] of names.entries()) {
    emitted = [];
    const before = now();
    const move = (moves as Partial<Record<string, Move<Machine>>>)[name];
    for (const event of move?.preceding?.(before) ?? []) actor.send(event);
    const event = move?.event(offset + index + 1, before) ?? { type: name };
    if (move) actor.send(event);
    addStep(name, event, before);
  }
  actor.stop();
  return steps;
}

const machinesWithPendingCalls = new WeakMap<AnyStateMachine, AnyStateMachine>();

/** Returns the machine with calls that never end. Cached, because a machine is costly to create. */
function withPendingCalls(machine: AnyStateMachine): AnyStateMachine {
  const never = fromPromise(() => new Promise<never>(() => {}));
  const actors = Object.keys(machine.implementations.actors).map((name) => [name, never]);
  const cached =
    machinesWithPendingCalls.get(machine) ??
    machine.provide({ actors: Object.fromEntries(actors) });
  machinesWithPendingCalls.set(machine, cached);
  return cached;
}

/** Returns the calls that were pending and are not any more, without having ended. */
function abortedCallsBetween(
  { children: pending }: AnyMachineSnapshot,
  { children: remaining }: AnyMachineSnapshot,
  { type }: AnyEventObject,
): string[] {
  return Object.keys(pending).filter(
    (name) => pending[name] !== remaining[name] && !type.endsWith(`.actor.${name}`),
  );
}

/** Returns a greedy choice of paths that together have every item that `itemsOf` returns. */
export function minimalCover<Machine extends AnyStateMachine, Name extends string>(
  paths: Path<Machine, Name>[],
  itemsOf: (step: Step<Machine, Name>) => string[],
): Path<Machine, Name>[] {
  const candidates = paths.map((path) => ({ path, items: new Set(path.steps.flatMap(itemsOf)) }));
  const chosen: Path<Machine, Name>[] = [];
  const value = ({ path, items }: (typeof candidates)[number]) => items.size / path.steps.length;
  for (;;) {
    const best = candidates.reduce(
      (left, right) => (value(right) > value(left) ? right : left),
      candidates[0]!,
    );
    if (!best || best.items.size === 0) return chosen;
    chosen.push(best.path);
    const covered = best.items;
    for (const candidate of candidates) {
      candidate.items = new Set([...candidate.items].filter((item) => !covered.has(item)));
    }
  }
}
