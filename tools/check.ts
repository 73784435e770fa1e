/** `npm run check`: everything that can be checked without running the app. */
import { readFile } from 'node:fs/promises';
import { openApi30File } from './contract-source.ts';
import { errorLines, root, runProgram, runStep, toolCommand, type StepTotals } from './run.ts';

const timeoutSeconds = 1_800;

export const spectralCommand = toolCommand(
  '@stoplight/spectral-cli/dist/index.js',
  'lint',
  'openapi.yaml',
  openApi30File,
  '--format=text',
  '--fail-severity=hint',
  '--quiet',
);

/** The command line of each check that is a program. Their configuration is in the root. */
const commands: { [name: string]: string[] } = {
  links: toolCommand('remark-cli/cli.js', '.', '--frail', '--quiet', '--no-color'),
  imports: toolCommand('dependency-cruiser/bin/dependency-cruise.mjs', '--output-type=err', '.'),
  'unused code': toolCommand('knip/bin/knip.js'),
  size: [process.execPath, `${root}tools/bundle-size.ts`],
  format: toolCommand('oxfmt/bin/oxfmt', '--check'),
  // Checks each file with the nearest tsconfig.json above it.
  'lint and types': toolCommand(
    'oxlint/bin/oxlint',
    '--type-aware',
    '--type-check',
    '--deny-warnings',
  ),
};

/**
 * Each check returns its problems, one per line. They import lazily, because a file that cannot
 * be loaded must fail only the checks that need it.
 */
const checks: { [name: string]: () => Promise<string[]> } = {
  // One step, because generated/ cannot be compared with a contract that cannot be read.
  'contract and generated': async () => {
    const { staleFiles } = await import('./generate.ts');
    const { dereferencedContract } = await import('./contract.ts');
    return [
      ...(await staleFiles()).map((path) => `${path} is stale: run "npm run generate"`),
      ...(await dereferencedContract(root + openApi30File).then(() => [], errorLines)),
      ...(await runProgram(spectralCommand, timeoutSeconds)),
    ];
  },
  specification: async () => (await import('./check-specification.ts')).specificationProblems(),
  lockfile: lockfileProblems,
  ...Object.fromEntries(
    Object.entries(commands).map(([name, command]) => [
      name,
      () => runProgram(command, timeoutSeconds),
    ]),
  ),
};

/** Runs all checks in parallel. */
export function check(): Promise<StepTotals[]> {
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
