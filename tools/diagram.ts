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
      event: eventOf(node, transition),
      guard: guardOf(transition.guard),
      to: targetOf(transition).map(pathOf).join(', '),
      actions: transition.actions.map((action) => actionWithEvent(machine, action)),
      statements: statementsOf(transition),
    })),
  );
}

/** Returns the machine as Mermaid source, ending with a newline. */
export function diagram(machine: AnyStateMachine): string {
  const { root } = machine;
  const lines = root.type === 'parallel' ? stateLines(root) : bodyLines(root);
  return ['stateDiagram-v2', ...indent(lines), ''].join('\n');
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

/** Returns the described states as a Markdown table, ending with a newline. */
export function stateTable(machine: AnyStateMachine): string {
  const rows = nodesOf(machine.root)
    .filter(({ description }) => description)
    .map((node) => [pathOf(node), node.description!]);
  return markdownTable(['state', 'description'], rows);
}

/** Returns a Markdown table, ending with a newline. */
export function markdownTable(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |\n`)
    .join('');
}

function stateLines(node: AnyStateNode): string[] {
  const name = `state "${escapeLabel(node.key)}" as ${idOf(node)}`;
  if (node.type === 'final') return [name, `${idOf(node)} --> [*]`];
  if (node.type === 'history') return [name, `${idOf(node)} : history`];
  if (childrenOf(node).length === 0)
    return [name, ...activityLines(node), ...transitionLines(node)];
  const outward = transitionLines(node).filter((arrow) => arrow.startsWith(`${idOf(node)} `));
  return [`${name} {`, ...indent(bodyLines(node)), '}', ...outward];
}

/** Returns the lines between the braces of a compound or parallel state. */
function bodyLines(node: AnyStateNode): string[] {
  const anyStateId = anyStateIdOf(node);
  const own = [
    ...activityLines(node, anyStateId),
    ...transitionLines(node).filter((arrow) => arrow.startsWith(`${anyStateId} `)),
  ];
  const anyState = own.length > 0 ? [[`state "any state" as ${anyStateId}`, ...own]] : [];
  const parts = [...childrenOf(node).map(stateLines), ...anyState];
  return node.type === 'parallel'
    ? parts.flatMap((lines, index) => (index > 0 ? ['--', ...lines] : lines))
    : [...node.initial.target.map((target) => `[*] --> ${idOf(target)}`), ...parts.flat()];
}

/** Returns the entry and exit actions and the invoked actors of a state. */
function activityLines(node: AnyStateNode, id = idOf(node)): string[] {
  const machine: AnyStateMachine = node.machine;
  const activities = [
    ...node.entry.filter(isNamed).map((action) => `entry / ${actionOf(action)}`),
    ...node.exit.filter(isNamed).map((action) => `exit / ${actionOf(action)}`),
    ...node.invoke.map((invoke) => `do / ${actorOf(machine.root, invoke.src, invoke.id)}`),
  ];
  return activities.map((line) => `${id} : ${escapeLabel(line)}`);
}

function transitionLines(node: AnyStateNode): string[] {
  return transitionsFrom(node).flatMap((transition) => {
    const guard = guardOf(transition.guard);
    const actions = transition.actions.map(actionOf).join(', ');
    const label = [
      eventOf(node, transition),
      ...(guard ? [`[${guard}]`] : []),
      ...(actions ? ['/', actions] : []),
    ].join(' ');
    return targetOf(transition).map((target) => {
      // Mermaid cannot draw an arrow from a compound state to itself or to a state inside it.
      const isInner = childrenOf(node).length > 0 && isWithin(target, node);
      const from = isInner ? anyStateIdOf(node) : idOf(node);
      const to = isInner && target === node ? anyStateIdOf(node) : idOf(target);
      return `${from} --> ${to} : ${escapeLabel(label)}`;
    });
  });
}

/** Returns the source of a transition without a target, because the state does not change. */
function targetOf(transition: AnyTransitionDefinition): readonly AnyStateNode[] {
  return transition.target ?? [transition.source];
}

function eventOf(node: AnyStateNode, transition: AnyTransitionDefinition): string {
  const event = transition.eventType;
  const machine: AnyStateMachine = node.machine;
  if ('delay' in transition) {
    const delay = String(transition.delay);
    if (typeof transition.delay === 'number') return `after ${delay} ms`;
    const duration: unknown = machine.implementations.delays[delay];
    return `after ${delay} (${typeof duration === 'number' ? `${duration} ms` : 'computed'})`;
  }
  if (event === '') return 'always';
  if (event.startsWith('xstate.done.state.')) return 'done';
  const [, kind, id] = /^xstate\.(done|error|snapshot)\.(?:actor\.)?(.*)$/.exec(event) ?? [];
  if (!kind || !id) return event;
  const invoked = node.invoke.find((invoke) => invoke.id === id);
  return `${kind}: ${actorOf(machine.root, invoked?.src, id)}`;
}

/** Returns the name of an actor's logic, or the id of its invocation for inline logic. */
function actorOf(root: AnyStateNode, src: unknown, id: string): string {
  return typeof src === 'string' && !src.startsWith('xstate.invoke.')
    ? src
    : id.replace(`${root.id}.`, '');
}

function guardOf(guard: unknown): string {
  if (guard === undefined) return '';
  if (typeof guard === 'function' && 'guards' in guard && Array.isArray(guard.guards)) {
    return `${guard.name}(${guard.guards.map(guardOf).join(', ')})`;
  }
  return nameOf(guard);
}

function actionOf(action: unknown): string {
  return nameOf(action).replace(/^xstate\./, '');
}

/** Excludes the actions that XState adds to start and cancel the delays of a state. */
function isNamed(action: unknown): boolean {
  return !['xstate.raise', 'xstate.cancel'].includes(nameOf(action));
}

function nameOf(reference: unknown): string {
  if (typeof reference === 'string') return reference;
  if (hasType(reference)) return reference.type;
  return typeof reference === 'function' && reference.name ? reference.name : 'inline';
}

/** Returns the action with the event that it emits or raises. A computed event has no name. */
function actionWithEvent(machine: AnyStateMachine, action: unknown): string {
  const name = actionOf(action);
  const implementation: unknown = machine.implementations.actions[name];
  const verb = { 'xstate.emit': 'emits', 'xstate.raise': 'raises' }[nameOf(implementation)];
  if (!verb) return name;
  const event =
    typeof implementation === 'function' && 'event' in implementation
      ? implementation.event
      : undefined;
  return `${name} (${hasType(event) ? `${verb} ${event.type}` : verb})`;
}

function hasType(value: unknown): value is { type: string } {
  return typeof (value as { type?: unknown } | undefined)?.type === 'string';
}

function childrenOf(node: AnyStateNode): AnyStateNode[] {
  return Object.values(node.states);
}

function isWithin(node: AnyStateNode | undefined, ancestor: AnyStateNode): boolean {
  return node !== undefined && (node === ancestor || isWithin(node.parent, ancestor));
}

function pathOf(node: AnyStateNode): string {
  return node.path.join('.') || node.id;
}

/** Starts with the machine's id, so that no state has the name of a Mermaid keyword. */
function idOf(node: AnyStateNode): string {
  return [node.machine.id, ...node.path].join('_').replace(/\W/g, '_');
}

function anyStateIdOf(node: AnyStateNode): string {
  return `${idOf(node)}__any`;
}

function escapeLabel(label: string): string {
  return label.replace(/[#;<>"]/g, (character) => `#${character.charCodeAt(0)};`);
}

function indent(lines: string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
