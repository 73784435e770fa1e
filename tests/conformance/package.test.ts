import { expect, test } from 'vitest';
import { listBundledFiles } from '../../conformance/build.ts';

test('the packed kit contains no file of tests/, tools/ or server/', async () => {
  const files = await listBundledFiles();
  expect(files).toContain('conformance/main.ts');
  const folders = new Set(files.map((file) => file.split('/')[0]));
  expect(folders).toEqual(new Set(['conformance', 'generated', 'machines', 'model', 'src']));
});
