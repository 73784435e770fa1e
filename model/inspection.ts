import type {
  AnyActorRef,
  AnyEventObject,
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyStateNode,
  AnyTransitionDefinition,
  InspectionEvent,
} from 'xstate';

/** What running actors really did, as their inspection tells it. All is named as the charts name it. */
export type Inspection = {
  /** Every state that an actor was in, like `projects · list.loading`. */
  states: string[];
  /** The states that the actors are in. */
  now: string[];
  /** Every transition taken, in order. */
  transitions: string[];
  /** Every event that changed nothing, with the state that did not handle it. */
  ignored: string[];
  /** Every start of an invoked actor. */
  invoked: string[];
};

/** Gives an `inspect` for actors of machines, and what they did since it was last asked. */
export function createInspector() {
  let seen = nothing();
  const now = new Map<string, string[]>();
  return {
    inspect: (event: InspectionEvent): void => {
      if (event.type === '@xstate.actor') {
        const { id, _parent } = event.actorRef as AnyActorRef;
        if (_parent) seen.invoked.push(id);
      }
      if (event.type === '@xstate.snapshot' && isMachine(event.snapshot)) {
        const states = leavesOf(event.snapshot).map(nameOf);
        now.set(event.snapshot.machine.id, states);
        seen.states.push(...states);
      }
      if (event.type === '@xstate.microstep' && isMachine(event.snapshot)) {
        const { _transitions: taken } = event;
        seen.transitions.push(...taken.map(transitionName));
        if (taken.length === 0) seen.ignored.push(...ignoredBy(event));
      }
    },
    take: (): Inspection => {
      const taken = { ...seen, now: [...now.values()].flat() };
      seen = nothing();
      return taken;
    },
  };
}

const nothing = (): Inspection => ({
  states: [],
  now: [],
  transitions: [],
  ignored: [],
  invoked: [],
});

/** Every state without states of its own. */
export function statesOf(machine: AnyStateMachine): AnyStateNode[] {
  return leavesIn(machine.root);
}

/** One name for a transition, whichever copy of the machine it is from: where from, why, and where to. */
export function transitionName(transition: AnyTransitionDefinition): string {
  const { source, eventType, guard, target } = transition;
  const claim = guard
    ? ` [${typeof guard === 'string' ? guard : String((guard as { type?: string }).type)}]`
    : '';
  const to = (target ?? [source]).map((node) => pathOf(node)).join(', ');
  return `${nameOf(source)}: ${eventType}${claim} → ${to}`;
}

/** One name for a state that an event leaves as it is. */
export const ignoredName = (state: string, event: string) => `${state}: ${event} changes nothing`;

/** The states of the region that knows the event, or all where none does. */
function ignoredBy({ snapshot, event }: { snapshot: unknown; event: AnyEventObject }): string[] {
  const leaves = leavesOf(snapshot as AnyMachineSnapshot);
  return leaves
    .filter((leaf) => regionKnows(leaf, event.type))
    .map((leaf) => ignoredName(nameOf(leaf), event.type));
}

function regionKnows(leaf: AnyStateNode, type: string): boolean {
  const region = leaf.parent ?? leaf;
  return Object.values<AnyStateNode>(region.states).some((node) => node.transitions.has(type));
}

export function leavesOf(snapshot: AnyMachineSnapshot): AnyStateNode[] {
  const { _nodes: nodes } = snapshot as unknown as { _nodes: AnyStateNode[] };
  return nodes.filter(isLeaf);
}

function leavesIn(node: AnyStateNode): AnyStateNode[] {
  return isLeaf(node) ? [node] : Object.values<AnyStateNode>(node.states).flatMap(leavesIn);
}

const isLeaf = (node: AnyStateNode) => Object.keys(node.states).length === 0;

export const nameOf = (node: AnyStateNode) => `${node.machine.id} · ${pathOf(node)}`;

const pathOf = (node: AnyStateNode) => node.path.join('.') || 'any';

function isMachine(snapshot: unknown): snapshot is AnyMachineSnapshot {
  return typeof snapshot === 'object' && snapshot !== null && '_nodes' in snapshot;
}
