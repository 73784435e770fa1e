/**
 * Many faults in one run: of every file between the tests and the faulty one there is a copy for each fault, by a query in its
 * address, so that the workers load React and jsdom once and not once a fault.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { vanillaExtractPlugin } from '@vanilla-extract/vite-plugin';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { createVitest, type TestModule } from 'vitest/node';
import { faulty, type Mutant } from './mutators.ts';

/**
 * Runs on each fault the test files for its file, those with the name of the faulty file first, and tells of each the name of the
 * first test that fails, or nothing. Tests after that one are not run. Throws where a test for '' fails without any fault.
 */
export async function failuresOfMany(
  root: string,
  testFilesFor: (file: string) => string[],
  faults: Mutant[],
  tell: (fault: Mutant, failure: string | undefined) => void,
): Promise<void> {
  const folder = join(root, 'faults');
  mkdirSync(folder);
  const without = faults.length;
  for (const [number, file] of [...faults.map((fault) => fault.file), ''].entries()) {
    writeFileSync(
      join(folder, `${number}.test.ts`),
      testsOf(number, sorted(testFilesFor(file), file)),
    );
  }
  let wrong: string | undefined;
  const vitest = await createVitest(
    'test',
    {
      root,
      config: false,
      environment: 'jsdom',
      setupFiles: ['tests/support/screens-setup.ts'],
      include: ['faults/*.test.ts'],
      testTimeout: 30_000,
      isolate: false,
      pool: 'threads',
      maxWorkers: 3,
      watch: false,
      reporters: [
        {
          onTestModuleEnd(module) {
            const number = Number(basename(module.moduleId, '.test.ts'));
            if (number === without) wrong = failureIn(module);
            else tell(faults[number]!, failureIn(module));
          },
        },
      ],
    },
    { plugins: [react(), vanillaExtractPlugin(), copies(root, faults)] },
  );
  try {
    await vitest.runTestSpecifications(await vitest.globTestSpecifications());
  } finally {
    await vitest.close();
    rmSync(folder, { recursive: true });
  }
  if (wrong) throw new Error(`Without any fault this fails as well: ${wrong}`);
}

function testsOf(fault: number, testFiles: string[]): string {
  return [
    "import { afterEach, beforeEach, describe } from 'vitest';",
    'let noticed = false;',
    'beforeEach(({ skip }) => skip(noticed));',
    "afterEach(({ task }) => { noticed ||= task.result?.state === 'fail'; });",
    // What a file sets up for its tests is not for those of the next.
    ...testFiles.map((file) => `describe('${file}', () => import('../${file}?fault=${fault}'));`),
  ].join('\n');
}

function sorted(testFiles: string[], file: string): string[] {
  const name = basename(file).replace(/\..*$/, '');
  const about = (test: string) => (basename(test).startsWith(name) ? 0 : 1);
  return testFiles.toSorted((one, other) => about(one) - about(other));
}

function copies(root: string, faults: Mutant[]): Plugin {
  return {
    name: 'faults',
    enforce: 'pre',
    resolveId(source, importer) {
      const fault = /\?fault=\d+$/.exec(importer ?? '')?.[0];
      if (!fault || !source.startsWith('.') || source.includes('?')) return undefined;
      const path = join(dirname(importer!.slice(0, -fault.length)), source);
      return path.endsWith('.css.ts') ? path : `${path}${fault}`;
    },
    load(id) {
      const [path, number] = id.split('?fault=');
      const fault = faults[Number(number)];
      if (!fault || path !== join(root, fault.file)) return undefined;
      return faulty(readFileSync(path, 'utf8'), fault);
    },
  };
}

export function failureIn(module: TestModule): string | undefined {
  for (const test of module.children.allTests('failed')) return test.fullName;
  return module.state() === 'failed' ? module.relativeModuleId : undefined;
}
