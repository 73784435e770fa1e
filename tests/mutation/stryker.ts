import { Stryker } from '@stryker-mutator/core';
import { globSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { excerpt, numbered, type Result } from './mutant.ts';

/** Which tests judge which files. */
const groups = [
  {
    mutate: ['machines/*.ts', 'src/*.ts{,x}', 'src/api/*.ts'],
    testFiles: [
      'tests/app/unit/{api,machines}/*.test.ts',
      'tests/app/screens/*.test.tsx',
      'tests/app/model/{responses,screens,stop}.test.tsx',
    ],
  },
  { mutate: ['src/{screens,ui}/*.ts{,x}'], testFiles: ['tests/app/screens/*.test.tsx'] },
  { mutate: ['server/**/*.ts'], testFiles: ['tests/server/!(fuzz|process|torture).test.ts'] },
];

/** Types, styles, and what only a browser or another process executes. */
const leftOut = /types\.ts|\.css\.ts|src\/(main|lazy-)|use-virtual-rows|server\/(main|commands)/;

/** Runs the mutants that StrykerJS makes in the selected files. */
export async function runStryker(isSelected: (file: string) => boolean): Promise<Result[]> {
  const results: Result[] = [];
  for (const { mutate, testFiles } of groups) {
    const files = globSync(mutate).filter((file) => !leftOut.test(file) && isSelected(file));
    if (files.length > 0) results.push(...(await run(files.toSorted(), testFiles)));
  }
  return results;
}

async function run(mutate: string[], testFiles: string[]): Promise<Result[]> {
  const results = await new Stryker({
    mutate,
    testFiles,
    mutator: { excludedMutations: ['StringLiteral'] },
    ignorers: ['charts'],
    ignoreStatic: true,
    plugins: ['@stryker-mutator/vitest-runner', './tests/mutation/ignore-charts.ts'],
    testRunner: 'vitest',
    vitest: { configFile: 'tests/mutation/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    // More than two cores, because a test that a mutant breaks often waits.
    concurrency: 3,
    // Longer than a test may take, because a new process costs more than a failed test.
    timeoutMS: 25_000,
    tempDirName: mkdtempSync(join(tmpdir(), 'stryker-')),
    cleanTempDir: 'always',
    ignorePatterns: ['dist', 'data', 'docs/*.png'],
    disableTypeChecks: false,
    reporters: ['progress-append-only'],
  }).runMutationTest();
  const nameOf = numbered();
  return results.flatMap((result) => {
    const { fileName, mutatorName, location, replacement, status, statusReason } = result;
    const survived =
      !/Killed|Timeout|Ignored/.test(status) && !/^An error .* outside/.test(statusReason ?? '');
    // Also executed when the file is loaded, where the mutant was not active.
    if (status === 'Ignored' || (survived && result.static)) return [];
    const file = relative(process.cwd(), fileName);
    const change = `${excerpt(textAt(file, location))} -> ${excerpt(replacement)}`;
    const name = nameOf(`${file}: ${mutatorName}: ${change}`);
    return [{ name, line: location.start.line, survived }];
  });
}

type Position = { line: number; column: number };

/** Returns the source between two positions, whose lines and columns count from 1. */
function textAt(file: string, { start, end }: { start: Position; end: Position }): string {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  lines.push(lines.pop()!.slice(0, end.column - 1));
  return lines.join('\n').slice(start.column - 1);
}
