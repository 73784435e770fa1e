/** `npm run bench:bundle`: what the built app weighs, screen by screen, and whether that is within its budget. */
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { build } from 'vite';
import { root } from './run.ts';

/** Bytes that a new visitor of a screen is sent at most, compressed by brotli, the icon left out. */
export const budgets = { '/': 89_000, '/login': 124_000, '/projects': 124_000 };

type Sizes = Record<keyof typeof budgets, number>;

/** Builds the app in memory, and weighs the page, and the scripts that each screen fetches. */
export async function bundleSizes(): Promise<Sizes> {
  const built = await build({ root, logLevel: 'silent', build: { write: false } });
  if (!('output' in built)) throw new Error('Vite gave something else than one build.');
  const { output } = built;
  const weigh = async (names: string[]) => {
    const files = output.filter(({ fileName }) => names.includes(fileName));
    const sizes = files.map(async (file) =>
      promisify(brotliCompress)(file.type === 'chunk' ? file.code : file.source),
    );
    return (await Promise.all(sizes)).reduce((sum, { length }) => sum + length, 0);
  };
  const scripts = output.filter((file) => file.type === 'chunk');
  const withImports = (name: string): string[] => {
    const imports = scripts.find(({ fileName }) => fileName === name)?.imports ?? [];
    return [name, ...imports.flatMap(withImports)];
  };
  const entry = scripts.find(({ isEntry }) => isEntry)?.fileName ?? '';
  const work = scripts.find(({ name }) => name === 'lazy-chunk')?.fileName ?? '';
  const plain = ['index.html', ...withImports(entry)];
  const whole = await weigh([...plain, ...withImports(work)]);
  return { '/': await weigh(plain), '/login': whole, '/projects': whole };
}

/** A line for each screen that weighs more than it may. */
export function overBudget(sizes: Sizes, limits: Sizes = budgets): string[] {
  return Object.entries(limits).flatMap(([path, limit]) => {
    const size = sizes[path as keyof Sizes];
    return size > limit
      ? [
          `${path} takes ${size} bytes, ${size - limit} more than its budget: see tools/bundle-size.ts`,
        ]
      : [];
  });
}

if (import.meta.main) {
  const sizes = await bundleSizes();
  for (const [path, size] of Object.entries(sizes)) {
    console.log(`${path.padEnd(10)} ${size} of ${budgets[path as keyof Sizes]} bytes`);
  }
  const faults = overBudget(sizes);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
