/** `npm run check`: everything that can be checked without running the app. */
import { readFile } from 'node:fs/promises';
import { errorLines, printResult, root, runCommand, toolCommand } from './run.ts';

const timeoutSeconds = 300;

/**
 * Each check returns its problems, one per line. They import lazily, because a file that cannot
 * be loaded must fail only the checks that need it.
 */
const checks: { [name: string]: () => Promise<string[]> } = {
  generated: async () => {
    const { staleFiles } = await import('./generate.ts');
    return (await staleFiles()).map((path) => `${path} is stale: run "npm run generate"`);
  },
  contract: async () => (await import('./lint-contract.ts')).contractProblems(),
  specification: async () => (await import('./check-specification.ts')).specificationProblems(),
  lockfile: lockfileProblems,
  // In its own process, because a build sets NODE_ENV to production for the whole process.
  bundle: () => runCommand([process.execPath, `${root}tools/bundle-size.ts`], timeoutSeconds),
  format: () => runCommand(toolCommand('oxfmt/bin/oxfmt', '--check'), timeoutSeconds),
  'lint and types': () =>
    runCommand(
      toolCommand('oxlint/bin/oxlint', '--type-aware', '--type-check', '--deny-warnings'),
      timeoutSeconds,
    ),
};

/** Runs all checks in parallel, and prints one line per check with its problems below. */
export async function check(): Promise<{ passed: number; failed: number }> {
  const running = Object.entries(checks).map(([name, run]) => ({
    name,
    problems: run().catch(errorLines),
  }));
  let failed = 0;
  for (const { name, problems } of running) {
    printResult(name, await problems);
    if ((await problems).length > 0) failed += 1;
  }
  return { passed: running.length - failed, failed };
}

/** The lockfile must not name a registry, because machines use different ones. */
async function lockfileProblems(): Promise<string[]> {
  const lines = (await readFile(`${root}package-lock.json`, 'utf8')).split('\n');
  return lines.flatMap((line, index) =>
    /"resolved":.*:\/\//.test(line)
      ? [
          `package-lock.json:${index + 1} names a download host: ` +
            'keep omit-lockfile-registry-resolved in .npmrc',
        ]
      : [],
  );
}

if (import.meta.main) {
  const { failed } = await check();
  process.exitCode = failed > 0 ? 1 : 0;
}
