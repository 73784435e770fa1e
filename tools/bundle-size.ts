import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { readCommandLine } from './command-line.ts';
import { root } from './run.ts';

/**
 * Bytes that the first visit of a screen downloads, compressed by brotli: the sizes when they
 * were last accepted. The budget of a screen is `headroom` times its size.
 */
const acceptedBytes = { '/': 93_163, '/login': 129_919, '/projects': 129_919 };
const headroom = 1.05;

type Sizes = Record<keyof typeof acceptedBytes, number>;

const budgetBytes = Object.fromEntries(
  Object.entries(acceptedBytes).map(([path, size]) => [path, Math.floor(size * headroom)]),
) as Sizes;

/** Printed with each screen that exceeds its budget. */
export const howToRaise =
  'Every developer may raise a budget: set acceptedBytes in tools/bundle-size.ts to the sizes that ' +
  '"npm run node -- tools/bundle-size.ts" prints, and say in the commit message what users get for ' +
  'the bytes.';

type Output = Rolldown.RolldownOutput['output'];

/** Builds the app without writing it. */
async function buildInMemory(): Promise<Output> {
  const options = { write: false, sourcemap: 'hidden' } as const;
  const result = await build({ root, logLevel: 'silent', build: options });
  if (!('output' in result)) throw new Error('Vite did not return a single build.');
  return result.output;
}

/** Returns the size of the page and the scripts of each screen. */
async function bundleSizes(output: Output): Promise<Sizes> {
  const chunks = output.filter((file) => file.type === 'chunk');
  const withImports = (name: string): string[] => {
    const imports = chunks.find(({ fileName }) => fileName === name)?.imports ?? [];
    return [name, ...imports.flatMap(withImports)];
  };
  const compressedBytes = async (names: string[]) => {
    const files = output.filter(({ fileName }) => names.includes(fileName));
    const compressed = files.map((file) =>
      promisify(brotliCompress)(file.type === 'chunk' ? file.code : file.source),
    );
    return (await Promise.all(compressed)).reduce((sum, { length }) => sum + length, 0);
  };
  const entry = chunks.find(({ isEntry }) => isEntry)?.fileName ?? '';
  const lazyChunk = chunks.find(({ name }) => name === 'lazy-chunk')?.fileName ?? '';
  const eager = ['index.html', ...withImports(entry)];
  const withLazyChunk = await compressedBytes([...eager, ...withImports(lazyChunk)]);
  return { '/': await compressedBytes(eager), '/login': withLazyChunk, '/projects': withLazyChunk };
}

/** Returns one line per screen that exceeds its budget, then how to raise a budget. */
export function overBudget(sizes: Sizes, budget: Sizes = budgetBytes): string[] {
  const problems = Object.entries(budget)
    .map(([path, max]) => ({ path, size: sizes[path as keyof Sizes], max }))
    .filter(({ size, max }) => size > max)
    .map(
      ({ path, size, max }) =>
        `${path} has ${size} bytes, ${size - max} over its budget of ${max}.`,
    );
  return problems.length > 0 ? [...problems, howToRaise] : [];
}

if (import.meta.main) {
  readCommandLine(`Usage: npm run node -- tools/bundle-size.ts

Builds the app in memory, and compares the compressed size of each screen with its budget.

Exit code 1: a screen exceeds its budget.`);
  const sizes = await bundleSizes(await buildInMemory());
  for (const [path, size] of Object.entries(sizes)) {
    console.log(`${path.padEnd(10)} ${size} of ${budgetBytes[path as keyof Sizes]} bytes`);
  }
  const problems = overBudget(sizes);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
