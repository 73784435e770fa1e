/** A plugin for StrykerJS: leaves out what changes nothing, and what the linter checks. */
type Node = {
  type: string;
  key?: { name?: string };
  callee?: { name?: string };
  properties?: Node[];
  body?: { body?: { argument?: { name?: string } }[] };
};
type Path = { node: Node; parent?: Node | null };

/** What charts have for readers and for types alone. */
const isForReaders = ({ type, key, properties }: Node): boolean =>
  type === 'ObjectProperty'
    ? /^(meta|description|types)$/.test(key?.name ?? '')
    : type === 'ObjectExpression' && properties!.every(isForReaders);

/** `catch { return undefined; }`, which ends a function. */
const returnsUndefined = ({ type, body }: Node): boolean =>
  type === 'CatchClause' && body?.body?.[0]?.argument?.name === 'undefined';

/** The dependencies of an effect. */
const isDependencyList = ({ type }: Node, parent?: Node | null): boolean =>
  type === 'ArrayExpression' && /^use(Layout)?(Effect|Memo)$/.test(parent?.callee?.name ?? '');

export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'no-difference',
    value: {
      shouldIgnore: ({ node, parent }: Path): string | undefined =>
        isForReaders(node) || returnsUndefined(node) || isDependencyList(node, parent)
          ? 'changes nothing, or the linter checks it'
          : undefined,
    },
  },
];
