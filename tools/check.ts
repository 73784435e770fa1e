/**
 * `npm run check`: everything about the project that can be told without running it.
 */
import { readFile } from 'node:fs/promises';
import { failureOf, linesOf, report, root, tool } from './run.ts';

/**
 * Each gives its faults, one a line, and none when all is well. They import what they need when they run: a file that can't
 * be loaded fails the checks that load it, and no other.
 */
const checks: { [name: string]: () => Promise<string[]> } = {
  generated: async () => {
    const { stale } = await import('./generate.ts');
    return (await stale()).map((path) => `${path} is stale: npm run generate`);
  },
  contract: async () => (await import('./lint-contract.ts')).contractProblems(),
  specification: async () => (await import('./check-specification.ts')).specificationProblems(),
  lockfile: lockfileProblems,
  // In a process of its own: a build makes its process one for production.
  bundle: () => failureOf([process.execPath, `${root}tools/bundle-size.ts`], 300),
  format: () => failureOf(tool('oxfmt/bin/oxfmt', '--check'), 300),
  'lint and types': () =>
    failureOf(tool('oxlint/bin/oxlint', '--type-aware', '--type-check', '--deny-warnings'), 300),
};

/** Runs all checks, side by side, and prints a line for each with its faults below. */
export async function check(): Promise<{ passed: number; failed: number }> {
  const running = Object.entries(checks).map(([name, faults]) => ({
    name,
    faults: settled(faults),
  }));
  let failed = 0;
  for (const { name, faults } of running) {
    const found = await faults;
    report(name, found);
    if (found.length > 0) failed += 1;
  }
  return { passed: running.length - failed, failed };
}

async function settled(faults: () => Promise<string[]>): Promise<string[]> {
  try {
    return await faults();
  } catch (error) {
    return linesOf(error);
  }
}

/** The lockfile must work with whatever registry a machine is set to. */
async function lockfileProblems(): Promise<string[]> {
  const lines = (await readFile(`${root}package-lock.json`, 'utf8')).split('\n');
  return lines.flatMap((line, index) =>
    /"resolved":.*:\/\//.test(line)
      ? [
          `package-lock.json:${index + 1} names a download host: keep omit-lockfile-registry-resolved in .npmrc`,
        ]
      : [],
  );
}

if (import.meta.main) {
  const { failed } = await check();
  process.exitCode = failed > 0 ? 1 : 0;
}
