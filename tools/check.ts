/** `npm run check`: everything that can be checked without running the app. */
import { readFile } from 'node:fs/promises';
import { root, runCommand, runStep, toolCommand, type Totals } from './run.ts';

const timeoutSeconds = 1_800;

/** Checks each file with the nearest tsconfig.json above it. */
const lintCommand = toolCommand(
  'oxlint/bin/oxlint',
  '--type-aware',
  '--type-check',
  '--deny-warnings',
);

/**
 * Each check returns its problems, one per line. They import lazily, because a file that cannot
 * be loaded must fail only the checks that need it.
 */
const checks: { [name: string]: () => Promise<string[]> } = {
  // One step, because generated/ cannot be compared with a contract that cannot be read.
  'contract and generated': async () => {
    const { contractProblems } = await import('./lint-contract.ts');
    const { spectralProblems } = await import('./spectral.ts');
    const { staleFiles } = await import('./generate.ts');
    return [
      ...(await contractProblems()),
      ...(await spectralProblems()),
      ...(await staleFiles()).map((path) => `${path} is stale: run "npm run generate"`),
    ];
  },
  specification: async () => (await import('./check-specification.ts')).specificationProblems(),
  lockfile: lockfileProblems,
  links: async () => (await import('./check-links.ts')).linkProblems(),
  prose: async () => (await import('./check-prose.ts')).proseProblems(),
  // In its own process, because a build sets NODE_ENV to production for the whole process.
  size: () => runCommand([process.execPath, `${root}tools/check-build.ts`], timeoutSeconds),
  format: () => runCommand(toolCommand('oxfmt/bin/oxfmt', '--check'), timeoutSeconds),
  'lint and types': () => runCommand(lintCommand, timeoutSeconds),
};

/** Runs all checks in parallel. */
export function check(): Promise<Totals[]> {
  return Promise.all(Object.entries(checks).map(([name, run]) => runStep(name, run)));
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
  const totals = await check();
  process.exitCode = totals.some(({ failed }) => failed > 0) ? 1 : 0;
}
