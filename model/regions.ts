/**
 * Derives the regions of a machine from its definition, and which of them interact. Paths cover
 * each region and each pair that interacts, so that a new region adds steps and multiplies none.
 */
import {
  createActor,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
} from 'xstate';
import { activeLeaves, nodesOf, stateName, transitionsFrom } from './inspection.ts';

export type Region = {
  /** The names of its states, like `projects · list` and `projects · list.loading`. */
  states: string[];
  /** The keys of the context that it reads or writes. */
  contextKeys: string[];
  /** The regions that interact with it: both use an event, a context key or a region. */
  neighbors: Region[];
};

/**
 * Returns the regions of a parallel machine. Its root is one more, for the transitions of the root.
 * A machine that is not parallel is one region.
 */
export function regionsOf(machine: AnyStateMachine): Region[] {
  const { root } = machine;
  const { context } = createActor(machine).getSnapshot() as AnyMachineSnapshot;
  const parts =
    root.type === 'parallel'
      ? [[root], ...Object.values<AnyStateNode>(root.states).map(nodesOf)]
      : [nodesOf(root)];
  const all = parts.map((nodes) => {
    const uses = usesOf(machine, nodes, context);
    const contextKeys = Object.keys(context).filter((key) => uses.has(`context ${key}`));
    const region: Region = { states: nodes.map(stateName), contextKeys, neighbors: [] };
    return { uses, region };
  });
  for (const { region, uses } of all) {
    region.neighbors = all
      .filter((other) => other.region !== region && [...other.uses].some((use) => uses.has(use)))
      .map((other) => other.region);
  }
  return all.map(({ region }) => region);
}

/** Returns the region of a transition or of an ignored event, by its name. */
export function regionOf(regions: Region[], name: string): Region {
  return regions.find(({ states }) => states.includes(name.split(': ')[0]!))!;
}

/** Returns the current states of a region. */
export function statesIn({ states }: Region, snapshot: AnyMachineSnapshot): string {
  const leaves = activeLeaves(snapshot).map(stateName);
  return leaves.filter((state) => states.includes(state)).join(', ');
}

/** Returns the current states of a region, and its context keys that have no value or no entry. */
export function regionKey(region: Region, snapshot: AnyMachineSnapshot): string {
  const empty = region.contextKeys.filter((key) => isEmpty(snapshot.context[key]));
  return [statesIn(region, snapshot), ...empty].join(', ');
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length === 0 : !value;

/**
 * Returns a function that tells whether a snapshot has something that no earlier one had: a region
 * in a state, beside a neighbor or beside two. Two, because a transition beside one neighbor may
 * depend on the state of another.
 */
export function createNoveltyFilter(regions: Region[]): (snapshot: AnyMachineSnapshot) => boolean {
  const seen = new Set<string>();
  return (snapshot) => {
    const { size } = seen;
    for (const region of regions) {
      const key = regionKey(region, snapshot);
      const state = statesIn(region, snapshot);
      const neighbors = region.neighbors.map((neighbor) => statesIn(neighbor, snapshot));
      seen.add(key);
      for (const one of neighbors) {
        seen.add(`${key} | ${one}`);
        for (const two of neighbors) seen.add(`${state} | ${one} | ${two}`);
      }
    }
    return seen.size > size;
  };
}

/** Returns what nodes use, like `event list.outdated`, `context projects` and `region list`. */
function usesOf(machine: AnyStateMachine, nodes: AnyStateNode[], context: object): Set<string> {
  const { actions, guards } = machine.implementations;
  const uses = new Set<string>();
  const use = (kind: 'event' | 'context' | 'region', name: string) => uses.add(`${kind} ${name}`);

  /** Records the context keys that a function reads. Returns its result, or a constant as it is. */
  function evaluate(value: unknown): unknown {
    if (typeof value !== 'function') return value;
    const { result, read } = callWithAnything(value as () => unknown, context, machine.events);
    for (const key of read) use('context', key);
    return result;
  }

  /** Records what an action or a guard uses: a function, its name, or its name with `params`. */
  function visit(definition: unknown, implementations: Record<string, unknown>) {
    const { type, params } = Object(definition) as { type?: string; params?: unknown };
    const isFunction = typeof definition === 'function';
    if (!isFunction) evaluate(params);
    visitFunction(isFunction ? definition : implementations[type ?? String(definition)]);
  }

  function visitFunction(definition: unknown) {
    const { type, assignment, event, guards: parts, stateValue } = Object(definition) as Builtin;
    if (type === 'xstate.enqueueActions') {
      throw new Error('The model cannot see what enqueueActions does: use assign and raise.');
    }
    for (const part of parts ?? []) visit(part, guards);
    for (const name of regionNamesIn(machine, stateValue)) use('region', name);
    for (const [key, value] of Object.entries(Object(evaluate(assignment)))) {
      use('context', key);
      evaluate(value);
    }
    const sent = evaluate(event) as { type: string } | undefined;
    if (sent && type !== 'xstate.emit') use('event', sent.type);
    if (!type && !parts && !stateValue) evaluate(definition);
  }

  for (const node of nodes) {
    use('region', regionName(node));
    for (const { input } of node.invoke) evaluate(input);
    for (const action of [...node.entry, ...node.exit]) visit(action, actions);
    for (const transition of transitionsFrom(node)) {
      if (transition.eventType) use('event', transition.eventType);
      for (const target of transition.target ?? []) use('region', regionName(target));
      for (const action of transition.actions) visit(action, actions);
      if (transition.guard) visit(transition.guard, guards);
    }
  }
  return uses;
}

/** What `assign`, `raise`, `stateIn` and similar functions of XState add to their results. */
type Builtin = {
  type?: string;
  /** Of `assign`. */
  assignment?: unknown;
  /** Of `raise`, `sendTo` and `emit`. */
  event?: unknown;
  /** Of `and`, `or` and `not`. */
  guards?: unknown[];
  /** Of `stateIn`. */
  stateValue?: string | object;
};

const regionName = ({ path }: AnyStateNode) => path[0] ?? '';

/** Returns the regions of the states that `stateIn` compares with. */
function regionNamesIn(machine: AnyStateMachine, stateValue: Builtin['stateValue'] = {}): string[] {
  if (typeof stateValue === 'object') return Object.keys(stateValue);
  if (stateValue.startsWith('#')) return [regionName(machine.getStateNodeById(stateValue))];
  return stateValue.split('.').slice(0, 1);
}

/** A value that has every property, is empty when iterated, and returns itself when called. */
const anything: unknown = new Proxy(() => {}, {
  get(_, key) {
    if (key === Symbol.toPrimitive) return () => '';
    return key === Symbol.iterator ? () => [].values() : anything;
  },
  apply: () => anything,
});

const eventOfType = (type: string) =>
  new Proxy({}, { get: (_, key) => (key === 'type' ? type : anything) });

/**
 * Calls a function of a chart without a real event, then with each type until it does not throw,
 * because of `assertEvent`. Returns its result and the context keys that it read: all of them if it
 * always throws.
 */
function callWithAnything(
  callee: (...args: unknown[]) => unknown,
  context: object,
  types: string[],
) {
  const read = new Set<string>();
  const recorder = new Proxy(
    { ...context },
    {
      get(_, key) {
        read.add(String(key));
        return anything;
      },
    },
  );
  for (const event of [anything, ...types.map(eventOfType)]) {
    try {
      return { result: callee({ context: recorder, event }, anything), read };
    } catch {
      // Another type may be the one that it asserts.
    }
  }
  return { result: undefined, read: new Set(Object.keys(context)) };
}
