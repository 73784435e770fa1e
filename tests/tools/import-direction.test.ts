import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

/**
 * openapi.yaml -> generated/ -> machines/ -> src/ (api, actors, screens, ui)
 *                            \-> server/   \-> model/ -> tests/, conformance/
 *
 * What the files below a path may import besides each other: paths of this project, and packages.
 * The longest path that matches a file is its row. Type imports and `import()` count.
 */
const rows: Record<string, { imports: string[]; packages?: string[] }> = {
  'generated/': { imports: [], packages: [] },
  'machines/': { imports: ['generated/'], packages: ['xstate'] },
  'model/': {
    imports: ['generated/', 'machines/'],
    packages: ['xstate', '@xstate/', 'playwright-core', 'node:util'],
  },
  'model/headless-app.ts': {
    imports: ['model/', 'src/actors.ts', 'src/api/'],
    packages: ['xstate'],
  },
  'model/chromium.ts': { imports: ['model/programs.ts'], packages: ['node:', 'playwright-core'] },
  'model/programs.ts': { imports: [], packages: ['node:', 'playwright-core'] },

  'src/api/': { imports: ['generated/', 'machines/types.ts'], packages: ['openapi-fetch'] },
  'src/actors.ts': { imports: ['machines/', 'src/api/'], packages: ['xstate'] },
  'src/actors-context.ts': { imports: ['src/actors.ts'], packages: ['react'] },
  'src/prerendered.ts': { imports: ['machines/types.ts'], packages: [] },
  'src/inspector.ts': { imports: ['src/actors.ts'], packages: ['@statelyai/inspect'] },
  'src/styles/': { imports: [], packages: ['@vanilla-extract/css'] },
  'src/ui/': { imports: ['src/styles/'], packages: ['react', '@vanilla-extract/css'] },
  'src/screens/': {
    imports: ['src/ui/', 'src/actors-context.ts', 'src/prerendered.ts', 'machines/types.ts'],
    packages: [
      'react',
      'react-hook-form',
      '@hookform/resolvers',
      'zod',
      '@xstate/react',
      '@tanstack/react-router',
    ],
  },
  'src/': {
    imports: [
      'machines/types.ts',
      'src/api/',
      'src/actors.ts',
      'src/actors-context.ts',
      'src/prerendered.ts',
      'src/screens/',
    ],
    packages: ['react', 'xstate', '@tanstack/react-router'],
  },
  'src/prerender/': { imports: ['machines/types.ts', 'src/'] },
  'src/main.tsx': { imports: ['src/'], packages: ['react'] },

  'server/refusal.ts': { imports: [], packages: [] },
  'server/store/': { imports: [], packages: ['node:', 'dataloader', 'pg'] },
  'server/auth/': {
    imports: ['server/refusal.ts', 'server/store/'],
    packages: ['node:', 'ipaddr.js', 'lru-cache'],
  },
  'server/http/': {
    imports: [
      'generated/',
      'server/refusal.ts',
      'server/usage-error.ts',
      'server/auth/',
      'server/store/',
    ],
    packages: [
      'node:',
      'fastify',
      '@fastify/',
      'ajv',
      'helmet',
      'lru-cache',
      'p-limit',
      'pino-pretty',
    ],
  },
  'server/settings.ts': {
    imports: ['server/http/', 'server/store/database-url.ts'],
    packages: ['node:'],
  },
  'server/dependencies.ts': { imports: ['server/auth/', 'server/store/'], packages: [] },
  'server/operations/': {
    imports: [
      'server/refusal.ts',
      'server/dependencies.ts',
      'server/http/',
      'server/auth/throttle.ts',
    ],
    packages: ['node:'],
  },
  'server/usage-error.ts': { imports: [], packages: [] },
  'server/commands/': {
    imports: [
      'server/settings.ts',
      'server/usage-error.ts',
      'server/auth/throttle.ts',
      'server/store/',
    ],
    packages: ['node:'],
  },
  'server/metrics.ts': {
    imports: ['server/auth/', 'server/http/', 'server/store/'],
    packages: ['node:', 'fastify', 'prom-client'],
  },
  'server/': { imports: ['server/'], packages: ['node:', 'fastify', '@fastify/'] },

  'conformance/http/': { imports: ['machines/', 'model/', 'src/api/'] },
  'conformance/journeys/': { imports: ['machines/', 'model/', 'conformance/'] },
  'conformance/ui/': { imports: ['machines/', 'model/', 'conformance/'] },
  'conformance/checks/': { imports: ['machines/', 'model/', 'conformance/'] },
  'conformance/report/': { imports: ['model/', 'conformance/'] },
  'conformance/examples/': { imports: [], packages: ['node:', 'express'] },
  'conformance/': { imports: ['generated/', 'machines/', 'model/', 'conformance/'] },

  'tools/': {
    imports: ['generated/', 'machines/', 'model/', 'server/', 'conformance/', 'src/'],
  },
  'vite.config.ts': { imports: ['tools/'] },
  'vitest.config.ts': { imports: ['tools/', 'tests/support/'] },
  'tests/': { imports: [''] },
};

const files = globSync('**/*.{ts,tsx,js,mjs}', {
  exclude: ['**/node_modules', '**/dist', 'tests/out'],
}).toSorted();
/** For each file, the files and packages that it imports. */
const importsByFile = new Map(
  files.map((file) => [file, importsOf(file, readFileSync(file, 'utf8'))]),
);

test('type imports, re-exports and import() count as imports', () => {
  const source = `
    import type { A } from './a.ts';
    import { type B } from "../b.ts";
    export * from './c.ts';
    export type { D } from './d.ts';
    import './e.css.ts';
    type F = typeof import('./f.ts');
    const g = () => import('./g.ts');
    import h from 'h';
    // import './comment.ts'
    const text = "import './string.ts'";
  `;
  expect(importsOf('x/y/z.ts', source)).toEqual(
    ['a', '../b', 'c', 'd', 'e.css', 'f', 'g'].map((name) => join('x/y', `${name}.ts`)).concat('h'),
  );
});

test('every folder has a row, and every row has files', () => {
  expect(files.filter((file) => definitionOf(file) === undefined)).toEqual([]);
  const used = new Set(files.map(definitionOf));
  expect(Object.keys(rows).filter((row) => !used.has(row))).toEqual([]);
});

test.each(Object.entries(rows))('%s imports only what its row lists', (row, allowed) => {
  const violations = files
    .filter((file) => definitionOf(file) === row)
    .flatMap((file) => (importsByFile.get(file) ?? []).map((target) => ({ file, target })))
    .filter(({ target }) => {
      if (!existsSync(target)) return allowed.packages && !startsWithAny(target, allowed.packages);
      return definitionOf(target) !== row && !startsWithAny(target, allowed.imports);
    })
    .map(({ file, target }) => `${file} imports ${target}`);
  expect(violations).toEqual([]);
});

test('nothing outside tests/ imports tests/', () => {
  const violations = [...importsByFile]
    .filter(([file]) => !/^(tests\/|vitest\.config)/.test(file))
    .filter(([, targets]) => targets.some((target) => target.startsWith('tests/')));
  expect(violations.map(([file]) => file)).toEqual([]);
});

test('no import cycle exists between files', () => {
  expect(findCycles(importsByFile)).toEqual([]);
});

test('no import cycle exists between folders', () => {
  const importsByFolder = new Map<string, string[]>();
  for (const [file, targets] of importsByFile) {
    const folder = folderOf(file);
    const imported = targets.filter(existsSync).map(folderOf);
    importsByFolder.set(folder, [
      ...(importsByFolder.get(folder) ?? []),
      ...imported.filter((target) => target !== folder),
    ]);
  }
  expect(findCycles(importsByFolder)).toEqual([]);
});

test('a cycle is found, and named by its members', () => {
  const graph = { a: ['b'], b: ['c', 'd'], c: ['a'], d: ['e'], e: [] };
  expect(findCycles(new Map(Object.entries(graph)))).toEqual([['a', 'b', 'c']]);
  expect(findCycles(new Map([['self', ['self']]]))).toEqual([['self']]);
});

test('machines/ uses no network, storage, clock or DOM', () => {
  const forbidden =
    /^(fetch|XMLHttpRequest|(local|session)Storage|document|window|navigator|Date|performance|set(Timeout|Interval)|Math\.random)$/;
  const used = globSync('machines/*.ts').flatMap((file) =>
    usedObjects(readFileSync(file, 'utf8')).map((name) => ({ file, name })),
  );
  expect(used.length).toBeGreaterThan(50);
  expect(used.filter(({ name }) => forbidden.test(name))).toEqual([]);
});

test('every dependency is imported', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  // Command line programs, plugins loaded by name, type packages, and a peer dependency.
  const notImported =
    /^(typescript|oxlint|oxlint-tsgolint|oxfmt|happy-dom|@stryker-mutator\/vitest-runner|@types\/.+|@testing-library\/dom)$/;
  const imported = [...importsByFile.values()].flat();
  const unused = Object.keys({ ...dependencies, ...devDependencies })
    .filter((name) => !notImported.test(name))
    .filter((name) => !imported.some((target) => `${target}/`.startsWith(`${name}/`)));
  expect(unused).toEqual([]);
});

/** Returns the paths of imported files, relative to the project, and the names of packages. */
function importsOf(file: string, source: string): string[] {
  return ts
    .preProcessFile(source, true, true)
    .importedFiles.map(({ fileName }) =>
      fileName.startsWith('.') ? join(dirname(file), fileName) : fileName,
    );
}

/** Returns what a source calls, constructs and reads properties of, like `Math.random`. */
function usedObjects(source: string): string[] {
  const used: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) used.push(node.expression.getText());
    if (ts.isPropertyAccessExpression(node)) used.push(node.expression.getText(), node.getText());
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true));
  return used;
}

function definitionOf(file: string): string | undefined {
  return Object.keys(rows)
    .filter((row) => file.startsWith(row))
    .toSorted((a, b) => b.length - a.length)[0];
}

function startsWithAny(text: string, prefixes: string[]): boolean {
  return prefixes.some((prefix) => text.startsWith(prefix));
}

/**
 * Returns the folder of a file. The files directly in src/, server/ and conformance/ count as
 * folders of their own, because some compose the subfolders and others are shared by them.
 * A folder of tests/ includes its subfolders.
 */
function folderOf(file: string): string {
  if (/^(src|server|conformance)\/[^/]+$/.test(file)) return file;
  return /^tests\/[^/]+\//.exec(file)?.[0] ?? dirname(file);
}

/** Returns the cycles of a graph, each as the sorted nodes that all reach each other. */
function findCycles(graph: Map<string, string[]>): string[][] {
  const reachable = new Map([...graph.keys()].map((node) => [node, reachableFrom(graph, node)]));
  const cycles = [...graph.keys()]
    .filter((node) => reachable.get(node)?.has(node))
    .map((node) =>
      [...graph.keys()].filter(
        (other) => reachable.get(node)?.has(other) && reachable.get(other)?.has(node),
      ),
    );
  return [...new Map(cycles.map((cycle) => [cycle.join(), cycle])).values()];
}

function reachableFrom(graph: Map<string, string[]>, start: string): Set<string> {
  const reached = new Set<string>();
  const pending = [...(graph.get(start) ?? [])];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (reached.has(node)) continue;
    reached.add(node);
    pending.push(...(graph.get(node) ?? []));
  }
  return reached;
}
