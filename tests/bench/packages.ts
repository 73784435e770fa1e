import { writeFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { brotliCompressSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { markdownTable } from '../../tools/diagram.ts';
import { root } from '../../tools/run.ts';
import { forceHelp, startBenchmark } from './environment.ts';

const paragraph = await startBenchmark(`Usage: npm run node -- tests/bench/packages.ts [--force]

Builds the app, and writes docs/app-bytes.md: what each package adds to the first visit of a screen.
Fails if a package of the build has no explanation in this file, or if an explanation has no package.

${forceHelp}`);

const ownCode = "the app's own code";
const unknown = 'the bundler';

/** Why the app has each package, and why it is not smaller. */
const explanations: Record<string, string> = {
  'react-dom': 'Renders and hydrates. One file, of which no part can be left out.',
  react: 'Components and hooks. One file.',
  scheduler: 'A part of react-dom.',
  '@tanstack/router-core': 'Matches and loads routes. Its server part is left out.',
  '@tanstack/react-router': 'Links, outlets and error boundaries of the router.',
  '@tanstack/history': 'A part of the router: the URL fragment as history.',
  '@tanstack/store': 'A part of the router: its state.',
  '@tanstack/react-store': 'A part of the router.',
  'use-sync-external-store':
    'A part of the router and of @xstate/react. Its shim is replaced by React, in vite.config.ts.',
  xstate: 'Runs the machines. Inspection and persistence are methods of its classes.',
  '@xstate/react': 'Only `useSelector` is imported.',
  'react-hook-form': 'Owns the forms. Published as one file, built around one function.',
  '@hookform/resolvers': 'Connects zod with the forms. Supports zod 3 and 4 in one function.',
  zod: 'Validates the forms. Imported as `zod/mini`, by function.',
  'openapi-fetch': 'Sends the requests. One function.',
  [ownCode]: 'Machines, client, screens and user interface, without styles.',
  [unknown]: 'Imports and exports of the chunks.',
};

/** Returns the package of a source file. */
function packageOf(source: string): string {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
  return name ?? (/\/(src|machines)\//.test(source) ? ownCode : unknown);
}

/** Returns the package that each character of a chunk comes from. */
function ownersOf({ code, map, fileName }: Rolldown.OutputChunk): string[] {
  if (!map) throw new Error(`${fileName} has no source map.`);
  const sourceMap = new SourceMap(JSON.parse(map.toString()) as SourceMapPayload);
  let owner = unknown;
  return code.split('\n').flatMap((line, lineIndex) =>
    Array.from({ length: line.length + 1 }, (_, column) => {
      const { originalSource } = sourceMap.findEntry(lineIndex, column) as {
        originalSource?: string;
      };
      if (originalSource) owner = packageOf(originalSource);
      return owner;
    }),
  );
}

/** Returns by how many bytes a compressed chunk shrinks without each of its packages. */
function sharesOf(chunk: Rolldown.OutputChunk): Map<string, number> {
  const owners = ownersOf(chunk);
  const compressed = brotliCompressSync(chunk.code).length;
  return new Map(
    [...new Set(owners)].map((name) => {
      const others = chunk.code.split('').filter((_, index) => owners[index] !== name);
      return [name, compressed - brotliCompressSync(others.join('')).length];
    }),
  );
}

/** Builds the app without writing it. */
async function buildFiles(minify: 'oxc' | 'esbuild') {
  const options = { write: false, sourcemap: 'hidden', minify } as const;
  const result = await build({ root, logLevel: 'silent', build: options });
  if (!('output' in result)) throw new Error('Vite did not return a single build.');
  return result.output;
}

const files = await buildFiles('oxc');
const chunks = files.filter((file) => file.type === 'chunk');
const eager = chunks.filter(({ isEntry }) => isEntry).map(sharesOf);
const lazy = chunks.filter(({ isEntry }) => !isEntry).map(sharesOf);
const names = [...new Set([...eager, ...lazy].flatMap((shares) => [...shares.keys()]))];

const problems = [
  ...names
    .filter((name) => !Object.hasOwn(explanations, name))
    .map((name) => `Explain in tests/bench/packages.ts why the app has ${name}.`),
  ...Object.keys(explanations)
    .filter((name) => !names.includes(name))
    .map((name) => `Remove ${name} from tests/bench/packages.ts: the build does not have it.`),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);

const bytesOf = (name: string, parts: Map<string, number>[]) =>
  parts.reduce((sum, shares) => sum + (shares.get(name) ?? 0), 0);
const grouped = (bytes: number) => bytes.toLocaleString('en');
const compressedBytes = (source: string | Uint8Array) => brotliCompressSync(source).length;
const page = files.find(({ fileName }) => fileName === 'index.html');
const pageBytes = page?.type === 'asset' ? compressedBytes(page.source) : 0;
const totalBytes = (parts: { code: string }[]) =>
  parts.reduce((bytes, { code }) => bytes + compressedBytes(code), 0);
const byEsbuild = (await buildFiles('esbuild')).filter((file) => file.type === 'chunk');

const table = names
  .map((name) => ({ name, first: bytesOf(name, eager), all: bytesOf(name, [...eager, ...lazy]) }))
  .toSorted((a, b) => b.all - a.all)
  .map(({ name, first, all }) => [name, grouped(first), grouped(all), explanations[name] ?? '']);

writeFileSync(
  `${root}docs/app-bytes.md`,
  `# What the bytes of the app are

${paragraph}

Written by \`tests/bench/packages.ts\`. The share of a package is the number of bytes by which the
scripts shrink without its characters, compressed with brotli. Packages compress better together, so
the shares are less than the whole. \`/register\`, \`/login\` and \`/projects\` load the same files.

${markdownTable(
  ['', '`/`', '`/login`, `/projects`', 'why it is there, and why it is not smaller'],
  [
    [
      'everything',
      grouped(pageBytes + totalBytes(chunks.filter(({ isEntry }) => isEntry))),
      grouped(pageBytes + totalBytes(chunks)),
      '',
    ],
    [
      'the page',
      grouped(pageBytes),
      grouped(pageBytes),
      'Prerendered screens, styles, icon and inline script.',
    ],
    ...table,
  ],
)}
React, the router, XState, React Hook Form, zod and openapi-fetch are prescribed. What the app
decides is their entry points, its own code and the page.

- Another minifier: with esbuild, the scripts have ${grouped(totalBytes(byEsbuild))} bytes. With Vite's
  default, oxc, they have ${grouped(totalBytes(chunks))}.
- The bundler keeps what the called functions can reach. To leave out more, the app would need a
  private entry point or a copy of a package.
`,
);
console.log('Wrote docs/app-bytes.md.');
