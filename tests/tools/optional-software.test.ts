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
import { temporaryFolder } from '../server/support.ts';
import { longTestMs } from '../support/time-limits.ts';

const execFileAsync = promisify(execFile);

/** The environment of a machine on which Node is alone. */
const bare = () => ({
  PATH: temporaryFolder(),
  CHROMIUM: '',
  FIREFOX: undefined,
  TRACKER_TEST_ALL: undefined,
});
const software = Object.values(optionalSoftware);

function stubEnvironment(variables: Record<string, string | undefined>) {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test(
  'the test files of missing software are left out',
  async () => {
    const [command = '', ...options] = toolCommand('vitest/vitest.mjs', 'list', '--filesOnly');
    const env = { ...process.env, ...bare() };
    const { stdout } = await execFileAsync(command, [...options, '--project=app:engines'], {
      cwd: root,
      env,
    });
    expect(stdout).not.toContain('.test.ts');
    for (const { name, testFiles } of software) {
      expect([name, globSync(testFiles, { cwd: root }).length > 0]).toEqual([name, true]);
    }
  },
  longTestMs,
);

test('missing software is named with its tests, and one command installs all of it', () => {
  stubEnvironment(bare());
  const lines = notRunLines(findMissingSoftware());
  const advice = lines.pop();
  expect(lines).toHaveLength(software.length);
  for (const [index, { name, testFiles, packages }] of software.entries()) {
    expect(lines[index]).toBe(`not run: ${testFiles.join(', ')}: ${name} is not installed`);
    expect(advice).toContain(packages.join(' '));
  }
});

test('TRACKER_TEST_ALL=1 makes it a failure', () => {
  stubEnvironment({ ...bare(), TRACKER_TEST_ALL: '1' });
  expect(notRunLines(findMissingSoftware())[0]).toMatch(/^FAIL tests\//);
});

test('a test that needs missing software says what to install', () => {
  stubEnvironment(bare());
  expect(() => requireSoftware(optionalSoftware.firefox)).toThrow(
    'Firefox is not installed. On Debian and Ubuntu: apt-get install --no-install-recommends firefox-esr',
  );
});

test('FIREFOX is the path of the Firefox that the tests start', () => {
  stubEnvironment({ FIREFOX: '/opt/firefox/firefox' });
  expect(optionalSoftware.firefox.find()).toEqual({ program: '/opt/firefox/firefox' });
});
