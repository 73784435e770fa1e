/**
 * Draws an XState machine as a Mermaid `stateDiagram-v2` and lists its transitions, both read from the machine itself.
 */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { nodesOf, statementsOf, transitionsFrom } from '../model/inspection.ts';

/** One transition in words. `from` and `to` are paths of states; the path of the whole machine is its id. */
export type Row = {
  from: string;
  event: string;
  guard: string;
  to: string;
  actions: string[];
  /** Ids of the statements that the transition carries in its `meta`. */
  statements: string[];
};

/** Every transition of the machine, in the order in which the machine states them. */
export function transitions(machine: AnyStateMachine): Row[] {
  return nodesOf(machine.root).flatMap((node) =>
    transitionsFrom(node).map((transition) => ({
      from: pathOf(node),
      event: eventOf(node, transition),
      guard: guardOf(transition.guard),
      to: targetOf(transition).map(pathOf).join(', '),
      actions: transition.actions.map((action) => describedAction(machine, action)),
      statements: statementsOf(transition),
    })),
  );
}

/** The machine as Mermaid source, ending with a newline. */
export function diagram(machine: AnyStateMachine): string {
  const { root } = machine;
  const lines = root.type === 'parallel' ? state(root) : inside(root);
  return ['stateDiagram-v2', ...indent(lines), ''].join('\n');
}

/** The transitions as a Markdown table, ending with a newline. */
export function table(machine: AnyStateMachine): string {
  const rows = transitions(machine).map(({ from, event, guard, to, actions, statements }) =>
    [from, event, guard, to, actions.join(', '), statements.join(', ')].map(cell),
  );
  return markdownTable(['from', 'event', 'guard', 'to', 'actions', 'statements'], rows);
}

/** Returns the described states as a Markdown table, ending with a newline. */
export function stateTable(machine: AnyStateMachine): string {
  const rows = nodesOf(machine.root)
    .filter(({ description }) => description)
    .map((node) => [pathOf(node), node.description!].map(cell));
  return markdownTable(['state', 'description'], rows);
}

function markdownTable(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('');
}

function state(node: AnyStateNode): string[] {
  const name = `state "${text(node.key)}" as ${idOf(node)}`;
  if (node.type === 'final') return [name, `${idOf(node)} --> [*]`];
  if (node.type === 'history') return [name, `${idOf(node)} : history`];
  if (childrenOf(node).length === 0) return [name, ...described(node), ...arrows(node)];
  const outward = arrows(node).filter((arrow) => arrow.startsWith(`${idOf(node)} `));
  return [`${name} {`, ...indent(inside(node)), '}', ...outward];
}

/** What stands between the braces of a state that has states. */
function inside(node: AnyStateNode): string[] {
  const own = [
    ...described(node, anyOf(node)),
    ...arrows(node).filter((arrow) => arrow.startsWith(`${anyOf(node)} `)),
  ];
  const whole = own.length > 0 ? [[`state "any state" as ${anyOf(node)}`, ...own]] : [];
  const parts = [...childrenOf(node).map(state), ...whole];
  return node.type === 'parallel'
    ? parts.flatMap((lines, index) => (index > 0 ? ['--', ...lines] : lines))
    : [...node.initial.target.map((target) => `[*] --> ${idOf(target)}`), ...parts.flat()];
}

/** What a state does while it lasts. */
function described(node: AnyStateNode, id = idOf(node)): string[] {
  const machine: AnyStateMachine = node.machine;
  const during = [
    ...node.entry.filter(isNamed).map((action) => `entry / ${actionOf(action)}`),
    ...node.exit.filter(isNamed).map((action) => `exit / ${actionOf(action)}`),
    ...node.invoke.map((invoke) => `do / ${actorOf(machine.root, invoke.src, invoke.id)}`),
  ];
  return during.map((line) => `${id} : ${text(line)}`);
}

function arrows(node: AnyStateNode): string[] {
  return transitionsFrom(node).flatMap((transition) => {
    const guard = guardOf(transition.guard);
    const actions = transition.actions.map(actionOf).join(', ');
    const label = [
      eventOf(node, transition),
      ...(guard ? [`[${guard}]`] : []),
      ...(actions ? ['/', actions] : []),
    ].join(' ');
    return targetOf(transition).map((target) => {
      // Mermaid cannot draw an arrow from a state to one inside it, nor from a state that has states to itself.
      const inward = childrenOf(node).length > 0 && isWithin(target, node);
      const from = inward ? anyOf(node) : idOf(node);
      const to = inward && target === node ? anyOf(node) : idOf(target);
      return `${from} --> ${to} : ${text(label)}`;
    });
  });
}

/** A transition without a target leaves the state as it is. */
function targetOf(transition: AnyTransitionDefinition): readonly AnyStateNode[] {
  return transition.target ?? [transition.source];
}

function eventOf(node: AnyStateNode, transition: AnyTransitionDefinition): string {
  const event = transition.eventType;
  const machine: AnyStateMachine = node.machine;
  if ('delay' in transition) {
    const { delay } = transition;
    const milliseconds: unknown = machine.implementations.delays[String(delay)] ?? delay;
    if (typeof delay === 'number') return `after ${delay} ms`;
    return `after ${String(delay)} (${typeof milliseconds === 'number' ? `${milliseconds} ms` : 'computed'})`;
  }
  if (event === '') return 'always';
  if (event.startsWith('xstate.done.state.')) return 'done';
  const [, kind, id] = /^xstate\.(done|error|snapshot)\.(?:actor\.)?(.*)$/.exec(event) ?? [];
  if (!kind || !id) return event;
  const invoked = node.invoke.find((invoke) => invoke.id === id);
  return `${kind}: ${actorOf(machine.root, invoked?.src, id)}`;
}

/** An actor's name is its source's; one written in place has none but the id of its invocation. */
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

/** The delays of a state are started and stopped by actions of XState's own, which nobody wrote. */
function isNamed(action: unknown): boolean {
  return !['xstate.raise', 'xstate.cancel'].includes(nameOf(action));
}

function nameOf(reference: unknown): string {
  if (typeof reference === 'string') return reference;
  if (hasType(reference)) return reference.type;
  return typeof reference === 'function' && reference.name ? reference.name : 'written in place';
}

/** The action with the event that it emits or raises, where the event is written down and not computed. */
function describedAction(machine: AnyStateMachine, action: unknown): string {
  const name = actionOf(action);
  const supplied: unknown = machine.implementations.actions[name];
  const verb = { 'xstate.emit': 'emits', 'xstate.raise': 'raises' }[nameOf(supplied)];
  if (!verb) return name;
  const event = typeof supplied === 'function' && 'event' in supplied ? supplied.event : undefined;
  return `${name} (${hasType(event) ? `${verb} ${event.type}` : verb})`;
}

function hasType(value: unknown): value is { type: string } {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    'type' in value &&
    typeof value.type === 'string'
  );
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

/** With the machine's id in front, no name of a state meets a word of Mermaid's. */
function idOf(node: AnyStateNode): string {
  return [node.machine.id, ...node.path].join('_').replace(/\W/g, '_');
}

function anyOf(node: AnyStateNode): string {
  return `${idOf(node)}__any`;
}

function text(label: string): string {
  return label.replace(/[#;<>"]/g, (character) => `#${character.charCodeAt(0)};`);
}

function cell(content: string): string {
  return content.replaceAll('|', '\\|');
}

function indent(lines: string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
