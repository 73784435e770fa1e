type Part = {
  /** The files to mutate. */
  mutate: string[];
  /** The tests that judge them. */
  tests: string[];
  /** Mutators that make no fault here, or one that no test is meant to find. */
  excludedMutations?: string[];
  /** Leaves out what is executed once, when its file is loaded: each mutant repeats all tests. */
  ignoreStatic?: boolean;
};

const parts: Record<string, Part> = {
  /** A chart is executed when its file is loaded. */
  machines: {
    mutate: ['machines/*.ts', '!machines/types.ts'],
    tests: [
      'tests/unit/machines/*.test.ts',
      'tests/model/exhaustive.test.ts',
      'tests/screens/{login,register,credentials-form,projects,user-change}.test.tsx',
    ],
  },
  /** Without styles, and without what only a browser executes. */
  src: {
    mutate: [
      'src/{,api/,screens/,ui/}*.ts{,x}',
      'shared/routes.ts',
      'src/boot/{app,router}.tsx',
      '!src/api/prefetched-list.ts',
      '!src/ui/use-{hydrated,measured-blocks,reading-place,stored-place}.ts',
      '!src/ui/use-{virtual-rows,visible-blocks}.ts',
      '!**/*.css.ts',
    ],
    tests: [
      'tests/unit/{api/*,reading-place}.test.ts',
      'tests/{screens,prerendering}/*.test.tsx',
      'tests/model/stop.test.tsx',
    ],
    excludedMutations: ['StringLiteral'],
    ignoreStatic: true,
  },
  /** Without what runs in a process of its own. */
  server: {
    mutate: ['server/**/*.ts', '!server/main.ts', '!server/commands/**'],
    tests: ['server/tests/!(contract-mistakes|fuzz|pgbouncer|process|torture).test.ts'],
    excludedMutations: ['StringLiteral'],
    ignoreStatic: true,
  },
};

export const name = process.env['PART'] ?? '';
const selected = parts[name];
if (!selected) throw new Error(`Set PART to one of ${Object.keys(parts).join(', ')}.`);
export const part: Part = selected;
