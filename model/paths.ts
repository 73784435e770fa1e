/**
 * The one file that knows `@xstate/test` and `@xstate/graph`. It turns a machine as it ships, with its invoked actors, its delays
 * and what it raises, into paths that walk every transition.
 *
 * `@xstate/test` refuses such machines in its own generators, so its `TestModel` is given paths that `@xstate/graph` finds on the
 * real machine: the end of a call and of a delay are events like any other, offered only while the call or the delay is running.
 */
import { getShortestPaths, toDirectedGraph } from '@xstate/graph';
import { TestModel } from '@xstate/test';
import {
  createActor,
  fromPromise,
  SimulatedClock,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  type SnapshotFrom,
} from 'xstate';
import { createInspector, transitionName, type Inspection } from './inspection.ts';

type Supplied<Machine extends AnyStateMachine> = Parameters<Machine['provide']>[0];

/** The names of the actors that a machine invokes. */
export type ActorsOf<Machine extends AnyStateMachine> = keyof NonNullable<
  Supplied<Machine>['actors']
> &
  string;

/** The names of a machine's delays. */
export type DelaysOf<Machine extends AnyStateMachine> = keyof NonNullable<
  Supplied<Machine>['delays']
> &
  string;

/** The names of a machine's states, like `loggingIn`, or `list.loading` where regions go on side by side. */
export type StatesOf<Machine extends AnyStateMachine> = NamesIn<SnapshotFrom<Machine>['value']>;
type NamesIn<Value> = Value extends string
  ? Value
  : {
      [Region in keyof Value & string]: `${Region}.${NamesIn<Value[Region]>}`;
    }[keyof Value & string];

/** Something that can happen to a machine from outside. */
export type Move<Machine extends AnyStateMachine> = {
  /** Whether a person, a backend or the clock can do it now. */
  possible: (snapshot: SnapshotFrom<Machine>) => boolean;
  /** What the machine is told. `n` is different each time. */
  event: (n: number, snapshot: SnapshotFrom<Machine>) => AnyEventObject;
};

export type Model<Machine extends AnyStateMachine, Name extends string> = {
  machine: Machine;
  moves: Record<Name, Move<Machine>>;
  /** What two situations in the same states must have in common, to count as the same. */
  stateKey: (snapshot: SnapshotFrom<Machine>) => unknown;
};

/** Something that happens around a machine and must not reach it: a late answer, a moment that passes. */
export type Interference = `late ${string}` | `elapse ${number}`;

export type Step<Machine extends AnyStateMachine, Name extends string> = {
  move: Name | Interference | 'start';
  event: AnyEventObject;
  before: SnapshotFrom<Machine>;
  snapshot: SnapshotFrom<Machine>;
  emitted: AnyEventObject[];
  inspection: Inspection;
  /** The actors that were given up before they had ended. */
  abortedCalls: string[];
};

export type Path<Machine extends AnyStateMachine, Name extends string> = {
  name: string;
  moves: (Name | Interference)[];
  steps: Step<Machine, Name>[];
  /** Performs each step, and after it looks at every state that the machine is then in. */
  test: (driver: {
    perform: (step: Step<Machine, Name>) => Promise<void>;
    states: Record<StatesOf<Machine>, (step: Step<Machine, Name>) => Promise<void>>;
  }) => Promise<void>;
};

/** Paths that take every transition that the machine declares, by every move that causes it, from every situation. */
export function pathsThrough<Machine extends AnyStateMachine, Name extends string>(
  model: Model<Machine, Name>,
): Path<Machine, Name>[] {
  return testModelOf(model)
    .getPaths((logic, options) => getShortestPaths(logic as never, options as never) as never)
    .map((path) =>
      pathOf(
        model,
        path.steps.slice(1).map(({ event }) => event['move'] as Name),
      ),
    );
}

/** The path along which these moves happen to the machine one after another. `from` is what the `n` of its events begin after. */
export function pathOf<Machine extends AnyStateMachine, Name extends string>(
  model: Model<Machine, Name>,
  moves: (Name | Interference)[],
  from = 0,
): Path<Machine, Name> {
  const testModel = testModelOf(model);
  const steps = replay(model, moves, from);
  return {
    name: moves.join(', '),
    moves,
    steps,
    async test({ perform, states }) {
      let step = steps[0]!;
      const performing = ({ event }: { event: AnyEventObject }) => {
        step = steps.find((each) => each.event === event)!;
        return perform(step);
      };
      const looks = Object.entries<(step: Step<Machine, Name>) => Promise<void>>(states);
      await testModel.testPath(
        {
          state: steps.at(-1)!.snapshot,
          weight: moves.length,
          steps: steps.map(({ event, snapshot: state }) => ({ event, state })),
        },
        {
          events: Object.fromEntries(steps.map(({ event }) => [event.type, performing])),
          states: Object.fromEntries(looks.map(([name, look]) => [name, () => look(step)])),
        },
      );
    },
  };
}

function testModelOf<Machine extends AnyStateMachine, Name extends string>(
  model: Model<Machine, Name>,
) {
  const moves = Object.entries<Move<Machine>>(model.moves);
  return new TestModel<AnyMachineSnapshot, AnyEventObject, unknown>(model.machine as never, {
    events: (snapshot) =>
      moves
        .filter(([, { possible }]) => possible(snapshot as SnapshotFrom<Machine>))
        .map(([move, { event }]) => ({ ...event(0, snapshot as SnapshotFrom<Machine>), move })),
    serializeEvent: ({ move, type }) => String(move ?? type),
    // With the event and where it came from in the key, no transition hides behind another one to the same state.
    serializeState: (snapshot, event, previous) =>
      JSON.stringify([
        stateKeyOf(model, snapshot),
        event?.['move'],
        previous && stateKeyOf(model, previous),
      ]),
    stateMatcher: (snapshot, state) => snapshot.matches(state),
  });
}

/**
 * What the machine does when these moves happen to it one after another. (The states in a shortest path are no help: they have
 * come by other paths, with what happened there.)
 */
function replay<Machine extends AnyStateMachine, Name extends string>(
  { machine, moves }: Model<Machine, Name>,
  names: (Name | Interference)[],
  from: number,
): Step<Machine, Name>[] {
  const { inspect, take } = createInspector();
  const never = fromPromise(() => new Promise<never>(() => {}));
  const actors = Object.fromEntries(
    Object.keys(machine.implementations.actors).map((name) => [name, never]),
  );
  const actor = createActor(machine.provide({ actors }), { inspect, clock: new SimulatedClock() });
  let emitted: AnyEventObject[] = [];
  actor.on('*', (event) => emitted.push(event));
  const now = () => actor.getSnapshot() as SnapshotFrom<Machine>;

  actor.start();
  const steps = [
    stepOf<Machine, Name>('start', { type: 'xstate.init' }, now(), now(), emitted, take()),
  ];
  for (const [index, name] of names.entries()) {
    emitted = [];
    const before = now();
    const move = (moves as Partial<Record<string, Move<Machine>>>)[name];
    const event = move?.event(from + index + 1, before) ?? { type: name };
    if (move) actor.send(event);
    steps.push(stepOf(name, event, before, now(), emitted, take()));
  }
  actor.stop();
  return steps;
}

function stepOf<Machine extends AnyStateMachine, Name extends string>(
  move: Step<Machine, Name>['move'],
  event: AnyEventObject,
  before: SnapshotFrom<Machine>,
  snapshot: SnapshotFrom<Machine>,
  emitted: AnyEventObject[],
  inspection: Inspection,
): Step<Machine, Name> {
  const { children: pending }: AnyMachineSnapshot = before;
  const { children: still }: AnyMachineSnapshot = snapshot;
  const abortedCalls = Object.keys(pending).filter(
    (name) => pending[name] !== still[name] && !event.type.endsWith(`.actor.${name}`),
  );
  return { move, event, before, snapshot, emitted, inspection, abortedCalls };
}

/** As few of the paths as a greedy choice needs, to have in them whatever `parts` names in all of them. */
export function minimalCover<Machine extends AnyStateMachine, Name extends string>(
  paths: Path<Machine, Name>[],
  parts: (step: Step<Machine, Name>) => string[],
): Path<Machine, Name>[] {
  const rest = paths.map((path) => ({ path, parts: new Set(path.steps.flatMap(parts)) }));
  const chosen: Path<Machine, Name>[] = [];
  for (;;) {
    const best = rest.reduce((one, other) => (worth(other) > worth(one) ? other : one), rest[0]!);
    if (!best || best.parts.size === 0) return chosen;
    chosen.push(best.path);
    const had = best.parts;
    for (const each of rest) {
      each.parts = new Set([...each.parts].filter((part) => !had.has(part)));
    }
  }
}

const worth = ({ path, parts }: { path: { steps: unknown[] }; parts: Set<string> }) =>
  parts.size / path.steps.length;

/** Every transition that the chart draws, with the statements that it carries. */
export function transitionsOf(machine: AnyStateMachine): { name: string; statements: string[] }[] {
  const edges = (graph: ReturnType<typeof toDirectedGraph>): AnyTransitionDefinition[] => [
    ...graph.edges.map(({ transition }) => transition as AnyTransitionDefinition),
    ...graph.children.flatMap(edges),
  ];
  return edges(toDirectedGraph(machine)).map((transition) => ({
    name: transitionName(transition),
    statements: (transition.meta as { statements?: string[] } | undefined)?.statements ?? [],
  }));
}

export function stateKeyOf<Machine extends AnyStateMachine, Name extends string>(
  { stateKey: matters }: Model<Machine, Name>,
  snapshot: AnyMachineSnapshot,
): unknown {
  return [snapshot.value, matters(snapshot as SnapshotFrom<Machine>)];
}
