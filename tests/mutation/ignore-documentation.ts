/** A plugin for StrykerJS: what charts have for readers alone is not mutated. */
type Path = { node: { type: string; key?: { name?: string } } };

export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'documentation',
    value: {
      shouldIgnore: ({ node: { type, key } }: Path): string | undefined =>
        type === 'ObjectProperty' && /^(meta|description)$/.test(key?.name ?? '')
          ? 'for readers'
          : undefined,
    },
  },
];
