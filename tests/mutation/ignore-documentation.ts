/** A plugin for StrykerJS: what charts have for readers and for types alone is not mutated. */
type Node = { type: string; key?: { name?: string }; properties?: Node[] };

const isForReaders = ({ type, key, properties }: Node): boolean =>
  type === 'ObjectProperty'
    ? /^(meta|description|types)$/.test(key?.name ?? '')
    : type === 'ObjectExpression' && properties!.every(isForReaders);

export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'documentation',
    value: {
      shouldIgnore: ({ node }: { node: Node }): string | undefined =>
        isForReaders(node) ? 'for readers' : undefined,
    },
  },
];
