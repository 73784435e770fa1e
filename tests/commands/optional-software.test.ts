import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  findMissingSoftware,
  notRunLines,
  optionalSoftware,
  requireSoftware,
} from '../../tools/optional-software.ts';
import { root, toolCommand } from '../../tools/run.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { longTestMs } from '../../testing/time-limits.ts';

/** Simulates a machine on which Node is alone. */
function removeSoftware(testAll?: string) {
  vi.stubEnv('PATH', temporaryFolder());
  vi.stubEnv('CHROMIUM', '');
  vi.stubEnv('FIREFOX', undefined);
  vi.stubEnv('TRACKER_TEST_ALL', testAll);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test(
  'the test files of missing software exist, and are left out',
  async () => {
    removeSoftware();
    const [command = '', ...options] = toolCommand('vitest/vitest.mjs', 'list', '--filesOnly');
    const list = [...options, '--project=app:engines'];
    const { stdout } = await promisify(execFile)(command, list, { cwd: root });
    expect(stdout).not.toContain('.test.ts');
    for (const { name, testFiles } of Object.values(optionalSoftware)) {
      expect([name, globSync(testFiles, { cwd: root }).length > 0]).toEqual([name, true]);
    }
  },
  longTestMs,
);

test('missing software is named with its tests, and one command installs all of it', () => {
  removeSoftware();
  const software = Object.values(optionalSoftware);
  const packages = software.flatMap((each) => each.packages).join(' ');
  expect(notRunLines(findMissingSoftware())).toEqual([
    ...software.map(({ testFiles }) =>
      expect.stringMatching(
        `^not run: ${testFiles.join(', ')}: .+ is not installed$`.replaceAll('*', '.'),
      ),
    ),
    `On Debian and Ubuntu: apt-get install --no-install-recommends ${packages}`,
  ]);
});

test('what is missing of software with several parts is named', () => {
  const parts = () => ({ WebKitWebDriver: '/usr/bin/WebKitWebDriver', xauth: false });
  const webKit = { ...optionalSoftware.webkit, parts };
  expect(notRunLines([webKit])[0]).toMatch(/webkit\.test\.ts: xauth is not installed$/);
});

test('TRACKER_TEST_ALL=1 makes it a failure, and a test that needs it says what to install', () => {
  removeSoftware('1');
  expect(notRunLines(findMissingSoftware())[0]).toMatch(/^FAIL tests\//);
  expect(() => requireSoftware(optionalSoftware.firefox)).toThrow(/apt-get install .+ firefox-esr/);
});
