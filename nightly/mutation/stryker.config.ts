/**
 * `PART=src npx stryker run nightly/mutation/stryker.config.ts` changes `src/` in one place at a time
 * and runs its tests. `--mutate src/api/outcome.ts` selects files.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { name, part } from './parts.ts';

// Most mutants make a test wait in vain.
process.env['TRACKER_TEST_WAIT_MS'] ??= '4000';

export default {
  mutate: part.mutate,
  mutator: { excludedMutations: part.excludedMutations ?? [] },
  ignorers: ['no-difference'],
  ignoreStatic: part.ignoreStatic ?? false,
  plugins: ['@stryker-mutator/vitest-runner', './nightly/mutation/ignore-documentation.ts'],
  testRunner: 'vitest',
  vitest: { configFile: 'nightly/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  dryRunTimeoutMinutes: 60,
  // Longer than a test may take, because a new process costs more than a failed test.
  timeoutMS: 20_000,
  tempDirName: mkdtempSync(join(tmpdir(), 'stryker-')),
  cleanTempDir: 'always',
  ignorePatterns: ['dist', 'data', 'docs/*.png'],
  disableTypeChecks: false,
  reporters: ['progress-append-only', 'clear-text', 'html'],
  htmlReporter: { fileName: `tests/out/mutants-${name}.html` },
  clearTextReporter: { logTests: false, reportTests: false, allowEmojis: false },
  // The exit code is 1 if a mutant survives.
  thresholds: { high: 100, low: 100, break: 100 },
};
