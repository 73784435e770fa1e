/** Records what running actors do, from their inspection events, under the names of the charts. */
import type {
  AnyActorRef,
  AnyEventObject,
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyStateNode,
  AnyTransitionDefinition,
  InspectionEvent,
} from 'xstate';

export type Inspection = {
  /** Every state that an actor entered, like `projects · list.loading`. */
  states: string[];
  /** The current states of all actors. */
  now: string[];
  /** Every transition taken, in order. */
  transitions: string[];
  /** Every ignored event, with the state that has no transition for it. */
  ignored: string[];
  /** Every start of an invoked actor. */
  invoked: string[];
};

/** Returns an `inspect` callback for actors, and `take`, which returns and resets the record. */
export function createInspector() {
  let record = emptyRecord();
  const now = new Map<string, string[]>();
  return {
    inspect: (event: InspectionEvent): void => {
      if (event.type === '@xstate.actor') {
        const { id, _parent } = event.actorRef as AnyActorRef;
        if (_parent) record.invoked.push(id);
      }
      if (event.type === '@xstate.snapshot' && isMachine(event.snapshot)) {
        const states = activeLeaves(event.snapshot).map(stateName);
        now.set(event.snapshot.machine.id, states);
        record.states.push(...states);
      }
      if (event.type === '@xstate.microstep' && isMachine(event.snapshot)) {
        const { _transitions: taken } = event;
        record.transitions.push(...taken.map(transitionName));
        if (taken.length === 0) record.ignored.push(...ignoredEventsOf(event));
      }
    },
    take: (): Inspection => {
      const taken = { ...record, now: [...now.values()].flat() };
      record = emptyRecord();
      return taken;
    },
  };
}

const emptyRecord = (): Inspection => ({
  states: [],
  now: [],
  transitions: [],
  ignored: [],
  invoked: [],
});

/** Returns every state node of a machine, parents first, in the order of the chart. */
export function nodesOf(node: AnyStateNode): AnyStateNode[] {
  return [node, ...Object.values<AnyStateNode>(node.states).flatMap(nodesOf)];
}

/** Returns the states that have no child states. */
export function leavesOf(machine: AnyStateMachine): AnyStateNode[] {
  return nodesOf(machine.root).filter(isLeaf);
}

/** Returns every transition of a node, eventless transitions included. */
export function transitionsFrom(node: AnyStateNode): AnyTransitionDefinition[] {
  return [...node.transitions.values(), node.always ?? []].flat();
}

/** Returns every transition of the chart: its name, and the statements in its `meta`. */
export function transitionsOf(machine: AnyStateMachine): { name: string; statements: string[] }[] {
  return nodesOf(machine.root)
    .flatMap(transitionsFrom)
    .map((transition) => ({
      name: transitionName(transition),
      statements: statementsOf(transition),
    }));
}

export function statementsOf({ meta }: AnyTransitionDefinition): string[] {
  return (meta as { statements?: string[] } | undefined)?.statements ?? [];
}

/** Returns the name of a transition: source, event, guard and target. Equal in every copy. */
export function transitionName(transition: AnyTransitionDefinition): string {
  const { source, eventType, guard, target } = transition;
  const guardName =
    typeof guard === 'string' ? guard : (guard as { type?: string } | undefined)?.type;
  const to = (target ?? [source]).map(statePath).join(', ');
  return `${stateName(source)}: ${eventType}${guard ? ` [${guardName}]` : ''} → ${to}`;
}

/** Returns the name of the pair of a state and an event that it ignores. */
export const ignoredEventName = (state: string, event: string) =>
  `${state}: ${event} changes nothing`;

/** Returns the ignored pairs of an event: one per active state in a region that handles it. */
function ignoredEventsOf({
  snapshot,
  event,
}: {
  snapshot: unknown;
  event: AnyEventObject;
}): string[] {
  return activeLeaves(snapshot as AnyMachineSnapshot)
    .filter((leaf) => isHandledInRegion(leaf, event.type))
    .map((leaf) => ignoredEventName(stateName(leaf), event.type));
}

function isHandledInRegion(leaf: AnyStateNode, type: string): boolean {
  const region = leaf.parent ?? leaf;
  return Object.values<AnyStateNode>(region.states).some((node) => node.transitions.has(type));
}

/** Returns the active states that have no child states. */
export function activeLeaves(snapshot: AnyMachineSnapshot): AnyStateNode[] {
  const { _nodes: nodes } = snapshot as unknown as { _nodes: AnyStateNode[] };
  return nodes.filter(isLeaf);
}

const isLeaf = (node: AnyStateNode) => Object.keys(node.states).length === 0;

/** Returns the name of a state, like `projects · list.loading`. */
export const stateName = (node: AnyStateNode) => `${node.machine.id} · ${statePath(node)}`;

const statePath = (node: AnyStateNode) => node.path.join('.') || 'any';

function isMachine(snapshot: unknown): snapshot is AnyMachineSnapshot {
  return typeof snapshot === 'object' && snapshot !== null && '_nodes' in snapshot;
}
