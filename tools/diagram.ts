/** Converts an XState machine to a Mermaid `stateDiagram-v2` and to Markdown tables. */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { nodesOf, statementsOf, transitionsFrom } from '../model/inspection.ts';

/** One transition. `from` and `to` are state paths; the path of the root is the machine's id. */
export type TransitionRow = {
  from: string;
  event: string;
  guard: string;
  to: string;
  actions: string[];
  /** The ids in `meta.statements`. */
  statements: string[];
};

/** Returns every transition in the order of the chart. */
export function transitions(machine: AnyStateMachine): TransitionRow[] {
  return nodesOf(machine.root).flatMap((node) =>
    transitionsFrom(node).map((transition) => ({
      from: pathOf(node),
      event: eventOf(machine, transition),
      guard: transition.guard ? nameOf(transition.guard) : '',
      to: targetsOf(transition).map(pathOf).join(', '),
      actions: transition.actions.map((action) => actionWithEvent(machine, nameOf(action))),
      statements: statementsOf(transition),
    })),
  );
}

/** Returns the transitions as a Markdown table, ending with a newline. */
export function transitionTable(machine: AnyStateMachine): string {
  const rows = transitions(machine).map(({ from, event, guard, to, actions, statements }) => [
    from,
    event,
    guard,
    to,
    actions.join(', '),
    statements.join(', '),
  ]);
  return markdownTable(['from', 'event', 'guard', 'to', 'actions', 'statements'], rows);
}

/** Returns the states as a Markdown table, ending with a newline. */
export function stateTable(machine: AnyStateMachine): string {
  const rows = nodesOf(machine.root)
    .filter(({ description, type }) => description || type === 'atomic')
    .map((node) => [
      pathOf(node),
      node.description ?? '',
      actionsOf(node.entry),
      actionsOf(node.exit),
      node.invoke.map(({ id }) => id).join(', '),
      ignoredEvents(node).join(', '),
    ]);
  return markdownTable(['state', 'description', 'on entry', 'on exit', 'calls', 'ignores'], rows);
}

/** Returns the events that do nothing in a state, and something in another one of its region. */
function ignoredEvents(node: AnyStateNode): string[] {
  const { root } = node.machine as AnyStateMachine;
  const region: AnyStateNode = root.type === 'parallel' ? root.states[node.path[0]!]! : root;
  return region.events.filter((event) => !event.startsWith('xstate.') && isIgnored(node, event));
}

/** A transition that does nothing hides those of the states around it. */
function isIgnored(node: AnyStateNode, event: string): boolean {
  if (node.transitions.has(event)) return !node.ownEvents.includes(event);
  return !node.parent || isIgnored(node.parent, event);
}

/** Returns a Markdown table, ending with a newline. */
export function markdownTable(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |\n`)
    .join('');
}

/** Returns the states and transitions as Mermaid source, ending with a newline. */
export function diagram(machine: AnyStateMachine): string {
  return `stateDiagram-v2\n${stateLines(machine.root, '  ').join('\n')}\n`;
}

function stateLines(node: AnyStateNode, indent: string): string[] {
  const id = idOf(node);
  const children = Object.values<AnyStateNode>(node.states);
  // Mermaid cannot draw an arrow from a state to one inside it.
  const source = children.length > 0 ? `${id}_any` : id;
  const arrows = transitionsFrom(node).flatMap((transition) => {
    const guard = transition.guard ? ` [${nameOf(transition.guard)}]` : '';
    const label = eventOf(node.machine as AnyStateMachine, transition) + guard;
    return targetsOf(transition).map((to) => `${indent}${source} --> ${idOf(to)} : ${label}`);
  });
  const name = `${indent}state "${node.key}" as ${id}`;
  if (children.length === 0) return [name, ...arrows];
  const separator = node.type === 'parallel' ? [`${indent}  --`] : [];
  return [
    `${name} {`,
    ...node.initial.target.map((target) => `${indent}  [*] --> ${idOf(target)}`),
    ...children.flatMap((child, index) => [
      ...(index > 0 ? separator : []),
      ...stateLines(child, `${indent}  `),
    ]),
    ...(arrows.length > 0 ? [`${indent}  state "any state" as ${source}`] : []),
    ...arrows.map((arrow) => `  ${arrow}`),
    `${indent}}`,
  ];
}

/** Returns the source of a transition without a target, because the state does not change. */
function targetsOf(transition: AnyTransitionDefinition): readonly AnyStateNode[] {
  return transition.target ?? [transition.source];
}

function eventOf(machine: AnyStateMachine, transition: AnyTransitionDefinition): string {
  if ('delay' in transition) {
    const delay = String(transition.delay);
    return `after ${delay} (${String(machine.implementations.delays[delay])} ms)`;
  }
  return transition.eventType.replace(/^xstate\.(done|error)\.actor\./, '$1: ') || 'always';
}

/** Lists the actions of the chart, without those with which XState starts and cancels a delay. */
function actionsOf(actions: readonly unknown[]): string {
  return actions
    .map(nameOf)
    .filter((name) => !name.startsWith('xstate.'))
    .join(', ');
}

/** Throws for a guard or an action that has no name in `setup()`. */
function nameOf(reference: unknown): string {
  const name = typeof reference === 'string' ? reference : (reference as { type?: string }).type;
  if (!name) throw new Error(`A chart contains names only, and this one ${String(reference)}`);
  return name;
}

/** Returns the action with the event that it emits or raises. A computed event has no name. */
function actionWithEvent(machine: AnyStateMachine, name: string): string {
  const implementation = machine.implementations.actions[name] as unknown as {
    type?: string;
    event?: { type?: string };
  };
  const verb = { 'xstate.emit': 'emits', 'xstate.raise': 'raises' }[implementation?.type ?? ''];
  return verb ? `${name} (${[verb, implementation.event?.type].filter(Boolean).join(' ')})` : name;
}

const pathOf = (node: AnyStateNode) => node.path.join('.') || node.id;

/** Starts with the machine's id, so that no state has the name of a Mermaid keyword. */
const idOf = (node: AnyStateNode) => [node.machine.id, ...node.path].join('_').replace(/\W/g, '_');
