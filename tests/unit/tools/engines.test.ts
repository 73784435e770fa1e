import { existsSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { findFirefox, findMissingSoftware } from '../../../tools/engines.ts';
import { root } from '../../../tools/run.ts';

test('software that is not installed is missing, with its tests and what to install', () => {
  vi.stubEnv('PATH', '');
  vi.stubEnv('FIREFOX', undefined);
  const missing = findMissingSoftware();
  vi.unstubAllEnvs();
  expect(missing.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['Firefox', 'WebKitGTK', 'Go']),
  );
  for (const { testFile, installAdvice } of missing) {
    expect([testFile, existsSync(root + testFile)]).toEqual([testFile, true]);
    expect(installAdvice).toContain('apt-get install');
  }
});

test('FIREFOX is the path of the Firefox that the tests start', () => {
  vi.stubEnv('FIREFOX', '/opt/firefox/firefox');
  const path = findFirefox();
  vi.unstubAllEnvs();
  expect(path).toBe('/opt/firefox/firefox');
});
