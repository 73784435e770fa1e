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
  SimulatedClock,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
} from 'xstate';
import { createInspector, type Inspection } from './inspection.ts';
import type { OracleState, Step } from './steps.ts';

/** Something that a user, a backend or the clock can do to a machine. */
export type ModelEvent = {
  isPossible: (snapshot: AnyMachineSnapshot) => boolean;
  /** Returns the event that the machine receives. `n` differs for each step. */
  event: (n: number, snapshot: AnyMachineSnapshot) => AnyEventObject;
  /** Returns the events that a user causes on the way to this one. Default: none. */
  preceding?: (snapshot: AnyMachineSnapshot) => AnyEventObject[];
  /** Returns the steps that cause it, in this state of the app. */
  steps: (state: OracleState) => Step[];
};

/** A part of a machine with a state of its own. */
export type Region = {
  /** The name of the parallel state, or undefined for the whole machine. */
  name?: string;
  /** The keys of the context that it reads or writes. */
  contextKeys: string[];
  /** The regions whose state, context or events it reads, or that read its own. */
  neighbors: string[];
};

export type Model = {
  machine: AnyStateMachine;
  regions: Region[];
  events: Record<string, ModelEvent>;
};

/** An event on a path, and what the machine does with it. */
export type PathEvent = { name: string; before: AnyMachineSnapshot; inspection: Inspection };

export type Path = {
  name: string;
  events: PathEvent[];
  /** Calls `perform` with each event, and `check` after it. */
  test: (driver: {
    perform: (event: ModelEvent) => Promise<void>;
    check: () => Promise<void>;
  }) => Promise<void>;
};

/**
 * Returns paths that take every transition of a region by every event, from every state that the
 * region and two of its neighbors have together. The product of all regions is not explored.
 */
export function shortestPaths({ machine, regions, events }: Model): Path[] {
  const isNew = createNoveltyFilter(regions);
  const keysOf = (snapshot: AnyMachineSnapshot) =>
    regions.map((region) => regionKey(region, snapshot));
  const model = new TestModel<AnyMachineSnapshot, AnyEventObject, unknown>(machine as never, {
    serializeEvent: ({ name }) => String(name),
  });
  const paths = model.getPaths(
    (logic, options) => getShortestPaths(logic as never, options as never) as never,
    {
      // The search is breadth first. It asks for the events of each snapshot once.
      events: (snapshot) =>
        Object.entries(isNew(snapshot) ? events : {})
          .filter(([, { isPossible }]) => isPossible(snapshot))
          .map(([name, { event }]) => ({ ...event(0, snapshot), name })),
      // The event and its source are part of the key: otherwise a shortest path to the same state
      // would hide the other transitions to it.
      serializeState: (snapshot, event, previous) =>
        JSON.stringify([keysOf(snapshot), event?.['name'], previous && keysOf(previous)]),
    },
  );
  return paths.map(({ steps, test }) => {
    const names = steps.slice(1).map(({ event }) => String(event['name']));
    return {
      name: names.join(', '),
      events: replay(machine, events, names),
      async test({ perform, check }) {
        const performEvent = ({ event }: { event: AnyEventObject }) =>
          perform(events[String(event['name'])]!);
        const types = steps.slice(1).map(({ event }) => event.type);
        await test({
          events: Object.fromEntries(types.map((type) => [type, performEvent])),
          states: { '*': check },
        });
      },
    };
  });
}

/**
 * Returns a function that tells whether a snapshot has something that no earlier one had: a region
 * in a state, beside a neighbor or beside two. Two, because a transition beside one neighbor may
 * depend on the state of another.
 */
function createNoveltyFilter(regions: Region[]): (snapshot: AnyMachineSnapshot) => boolean {
  const seen = new Set<string>();
  return (snapshot) => {
    const { size } = seen;
    for (const region of regions) {
      const key = regionKey(region, snapshot);
      const state = stateIn(region.name, snapshot);
      seen.add(key);
      for (const one of region.neighbors) {
        seen.add(`${key} | ${stateIn(one, snapshot)}`);
        for (const two of region.neighbors) {
          seen.add(`${state} | ${stateIn(one, snapshot)} | ${stateIn(two, snapshot)}`);
        }
      }
    }
    return seen.size > size;
  };
}

/** Returns the current state of a region, like `projects · list.loading`. */
const stateIn = (region: string | undefined, { machine: { id }, value }: AnyMachineSnapshot) =>
  `${id} · ${region === undefined ? value : `${region}.${value[region]}`}`;

/** Returns the current state of a region, and its context keys that have no value or no entry. */
function regionKey({ name, contextKeys }: Region, snapshot: AnyMachineSnapshot): string {
  const empty = contextKeys.filter((key) => isEmpty(snapshot.context[key]));
  return [stateIn(name, snapshot), ...empty].join(', ');
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).every(isEmpty) : !value;

/**
 * Returns what the machine does when these events happen one after another. The states of a
 * shortest path are of no use for this, because they carry the context of other paths.
 */
function replay(machine: AnyStateMachine, events: Model['events'], names: string[]): PathEvent[] {
  const { inspect, take } = createInspector();
  const actor = createActor(withPendingCalls(machine), { inspect, clock: new SimulatedClock() });
  actor.start();
  take();
  const replayed = names.map((name, index): PathEvent => {
    const { event, preceding = () => [] } = events[name]!;
    const before = actor.getSnapshot() as AnyMachineSnapshot;
    for (const one of [...preceding(before), event(index + 1, before)]) actor.send(one);
    return { name, before, inspection: take() };
  });
  actor.stop();
  return replayed;
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

/**
 * Returns what an event of a path covers: each transition and ignored event by the event and the
 * state of its region, and each transition by the state of each neighbor of its region.
 */
export function coverageOf({ regions, machine }: Model) {
  const regionOf = (item: string) =>
    regions.find(({ name = '' }) => item.startsWith(`${machine.id} · ${name}`))!;
  return ({ inspection: { transitions, ignored }, name, before }: PathEvent): string[] => [
    name,
    ...[...transitions, ...ignored].map(
      (item) => `${item} by ${name} in ${regionKey(regionOf(item), before)}`,
    ),
    ...transitions.flatMap((item) =>
      regionOf(item).neighbors.map((other) => `${item} in ${stateIn(other, before)}`),
    ),
  ];
}

/** Returns a greedy choice of paths that together have every item that `itemsOf` returns. */
export function minimalCover(paths: Path[], itemsOf: (event: PathEvent) => string[]): Path[] {
  const candidates = paths.map((path) => ({ path, items: new Set(path.events.flatMap(itemsOf)) }));
  const chosen: Path[] = [];
  const value = ({ path, items }: (typeof candidates)[number]) =>
    items.size / (path.events.length + 1);
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
