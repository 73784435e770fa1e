import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { readCommandLine } from './command-line.ts';
import { root } from './run.ts';

readCommandLine(`Usage: npm run node -- tools/bundle-size.ts

Builds the app in memory, and compares the compressed size of each screen with its budget.

Exit code 1: a screen exceeds its budget.`);

/**
 * Bytes that the first visit of a screen downloads, compressed by brotli: the sizes when they
 * were last accepted. The budget of a screen is `headroom` times its size.
 */
const acceptedBytes = { '/': 93_163, '/login and /projects': 129_919 };
const headroom = 1.05;

const sizes = await bundleSizes(await buildInMemory());
for (const [path, accepted] of Object.entries(acceptedBytes)) {
  const size = sizes[path as keyof typeof acceptedBytes];
  const budget = Math.floor(accepted * headroom);
  console.log(`${path.padEnd(20)} ${size} of ${budget} bytes`);
  if (size > budget) process.exitCode = 1;
}
if (process.exitCode === 1) {
  console.error(
    'Every developer may raise a budget: set acceptedBytes in tools/bundle-size.ts to the sizes ' +
      'above, and say in the commit message what users get for the bytes.',
  );
}

type Output = Rolldown.RolldownOutput['output'];

async function buildInMemory(): Promise<Output> {
  const options = { write: false, sourcemap: 'hidden' } as const;
  const result = await build({ root, logLevel: 'silent', build: options });
  if (!('output' in result)) throw new Error('Vite did not return a single build.');
  return result.output;
}

/** Returns the size of the page and the scripts of each screen. */
async function bundleSizes(output: Output): Promise<Record<keyof typeof acceptedBytes, number>> {
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
  return {
    '/': await compressedBytes(eager),
    '/login and /projects': await compressedBytes([...eager, ...withImports(lazyChunk)]),
  };
}
