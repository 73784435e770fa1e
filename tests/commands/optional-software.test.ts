import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { requireSoftware } from '../../tools/optional-software.ts';
import { root, toolCommand } from '../../tools/run.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

/** Runs the tests in three engines on a machine on which Node is alone. */
function runWithoutSoftware(testAll: string) {
  const [command = '', ...options] = toolCommand('vitest/vitest.mjs', 'run');
  const env = { PATH: temporaryFolder(), CHROMIUM: '', NO_COLOR: '1', TRACKER_TEST_ALL: testAll };
  return promisify(execFile)(command, [...options, '--project=app:engines'], { cwd: root, env });
}

test('names the tests of missing software, and one command that installs all of it', async () => {
  const { stdout } = await runWithoutSoftware('');
  expect(stdout.trim().split('\n').slice(-4)).toEqual([
    'not run: tests/engines/chromium.test.ts: chromium is not installed',
    'not run: tests/engines/firefox.test.ts: firefox is not installed',
    'not run: tests/engines/webkit.test.ts: webkit is not installed',
    'On Debian and Ubuntu: apt-get install --no-install-recommends ' +
      'chromium-headless-shell firefox-esr webkit2gtk-driver xvfb xauth',
  ]);
});

test('fails with TRACKER_TEST_ALL=1 if software is missing', async () => {
  await expect(runWithoutSoftware('1')).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining(
      'FAIL tests/engines/firefox.test.ts: firefox is not installed\n',
    ),
  });
});

test('says what to install to a test that needs missing software', () => {
  vi.stubEnv('PATH', temporaryFolder());
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(() => requireSoftware('nginx')).toThrow(/^nginx is not installed.+ nginx-light$/);
});
