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
  'folder cycles': toolCommand(
    'dependency-cruiser/bin/dependency-cruise.mjs',
    '--config=tools/folder-cycles.config.js',
    '--output-type=err',
    '.',
  ),
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
  changelog: async () => (await import('./changelog.ts')).staleChangelog(),
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

/**
 * The lockfile must not name a registry, because machines use different ones. Each package must
 * allow the oldest releases of Node that package.json promises: else `npm ci` warns or fails there.
 */
async function lockfileProblems(): Promise<string[]> {
  const text = await readFile(`${root}package-lock.json`, 'utf8');
  const { packages } = JSON.parse(text) as Lockfile;
  const promised = packages['']!.engines!.node!.match(/[\d.]+/g)!;
  return [
    ...text
      .split('\n')
      .flatMap((line, index) =>
        /"resolved":.*:\/\//.test(line)
          ? [
              `package-lock.json:${index + 1} names a download host: ` +
                'keep omit-lockfile-registry-resolved in .npmrc',
            ]
          : [],
      ),
    ...Object.entries(packages).flatMap(([path, { engines }]) =>
      promised
        .filter((version) => !allowsNode(engines?.node ?? '*', version))
        .map(
          (version) => `${path} needs Node ${engines!.node}, and package.json promises ${version}`,
        ),
    ),
  ];
}

type Lockfile = { packages: Record<string, { engines?: { node?: string } }> };

/** Returns whether one of the alternatives, such as `^20.19`, `>= 22.12.0` or `18`, allows it. */
export function allowsNode(range: string, version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return range.split('||').some((alternative) => {
    const [isKnown, operator, ...numbers] =
      /^(>=|\^)? *(\d+|\*)(?:\.(\d+|x|\*))?(?:\.\d+)?$/.exec(alternative.trim()) ?? [];
    const [fromMajor = 0, fromMinor = 0] = numbers.map(
      (number) => Number.parseInt(number, 10) || 0,
    );
    if (major === fromMajor) return isKnown !== undefined && minor >= fromMinor;
    return major > fromMajor && (operator === '>=' || numbers[0] === '*');
  });
}

if (import.meta.main) {
  const totals = await check();
  process.exitCode = totals.some(({ failed }) => failed > 0) ? 1 : 0;
}
