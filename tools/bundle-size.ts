/** `npm run bench:bundle`: compares the compressed size of each screen with its budget. */
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { build } from 'vite';
import { root } from './run.ts';

/** Bytes that the first visit of a screen may download, compressed by brotli, without the icon. */
export const budgetBytes = { '/': 89_000, '/login': 124_000, '/projects': 124_000 };

type Sizes = Record<keyof typeof budgetBytes, number>;

/** Builds the app in memory. Returns the size of the page and the scripts of each screen. */
export async function bundleSizes(): Promise<Sizes> {
  const result = await build({ root, logLevel: 'silent', build: { write: false } });
  if (!('output' in result)) throw new Error('Vite did not return a single build.');
  const { output } = result;
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

/** Returns one line per screen that exceeds its budget. */
export function overBudget(sizes: Sizes, budget: Sizes = budgetBytes): string[] {
  return Object.entries(budget)
    .map(([path, max]) => ({ path, size: sizes[path as keyof Sizes], max }))
    .filter(({ size, max }) => size > max)
    .map(
      ({ path, size, max }) =>
        `${path} has ${size} bytes, ${size - max} over its budget: see tools/bundle-size.ts`,
    );
}

if (import.meta.main) {
  const sizes = await bundleSizes();
  for (const [path, size] of Object.entries(sizes)) {
    console.log(`${path.padEnd(10)} ${size} of ${budgetBytes[path as keyof Sizes]} bytes`);
  }
  const problems = overBudget(sizes);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
