/** Records what running actors do, from their inspection events, under the names of the charts. */
import type {
  AnyEventObject,
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyStateNode,
  AnyTransitionDefinition,
  InspectionEvent,
} from 'xstate';

export type Inspection = {
  /** Every transition taken, in order. */
  transitions: string[];
  /** Every ignored event, with the state that has no transition for it. */
  ignored: string[];
};

/** Returns an `inspect` callback for actors, and `take`, which returns and resets the record. */
export function createInspector() {
  let record: Inspection = { transitions: [], ignored: [] };
  return {
    inspect: (event: InspectionEvent): void => {
      if (event.type !== '@xstate.microstep' || !isMachine(event.snapshot)) return;
      const { _transitions: taken } = event;
      record.transitions.push(...taken.map(transitionName));
      if (taken.length === 0) record.ignored.push(...ignoredEventsOf(event.snapshot, event.event));
    },
    take: (): Inspection => {
      const taken = record;
      record = { transitions: [], ignored: [] };
      return taken;
    },
  };
}

/** Returns every state node of a machine, parents first, in the order of the chart. */
export function nodesOf(node: AnyStateNode): AnyStateNode[] {
  return [node, ...Object.values<AnyStateNode>(node.states).flatMap(nodesOf)];
}

/** Returns every transition of a node, eventless transitions included. */
export function transitionsFrom(node: AnyStateNode): AnyTransitionDefinition[] {
  return [...node.transitions.values(), node.always ?? []].flat();
}

/** Returns the name of every transition of the chart. */
export const transitionsOf = (machine: AnyStateMachine): string[] =>
  nodesOf(machine.root).flatMap(transitionsFrom).map(transitionName);

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

/** Returns each active state that ignores an event which its region handles in another state. */
function ignoredEventsOf(
  { _nodes: nodes }: AnyMachineSnapshot & { _nodes: AnyStateNode[] },
  { type }: AnyEventObject,
): string[] {
  return nodes
    .filter(({ states }) => Object.keys(states).length === 0)
    .filter(({ parent }) =>
      Object.values<AnyStateNode>(parent!.states).some(({ transitions }) => transitions.has(type)),
    )
    .map((node) => `${stateName(node)}: ${type} changes nothing`);
}

const stateName = (node: AnyStateNode) => `${node.machine.id} · ${statePath(node)}`;

const statePath = (node: AnyStateNode) => node.path.join('.') || 'any';

function isMachine(snapshot: unknown): snapshot is AnyMachineSnapshot & { _nodes: AnyStateNode[] } {
  return typeof snapshot === 'object' && snapshot !== null && '_nodes' in snapshot;
}
