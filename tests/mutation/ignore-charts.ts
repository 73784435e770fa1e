/** A plugin for StrykerJS, which leaves the charts to chart-mutants.ts. */
type Path = { node: { type: string; callee?: { property?: { name?: string } } } };

export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'charts',
    value: {
      shouldIgnore: ({ node }: Path): string | undefined =>
        node.callee?.property?.name === 'createMachine' ? 'a chart' : undefined,
    },
  },
];
