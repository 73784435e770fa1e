import { existsSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { findFirefox, findMissingEngines } from '../../../tools/engines.ts';
import { root } from '../../../tools/run.ts';

test('an engine that is not installed is missing, with its tests and what to install', () => {
  vi.stubEnv('PATH', '');
  vi.stubEnv('FIREFOX', undefined);
  const missing = findMissingEngines();
  vi.unstubAllEnvs();
  expect(missing.map(({ name }) => name)).toEqual(['Firefox', 'WebKitGTK']);
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
