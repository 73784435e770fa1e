import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Plugin } from 'vite';
import { expect, test } from 'vitest';
import { replaceOutput } from '../../tools/replace-output.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

/** Creates a page with a script. Returns a function that builds another version of it. */
function createApp(outDir = 'dist') {
  const root = temporaryFolder();
  writeFileSync(join(root, 'index.html'), '<script type="module" src="./main.js"></script>');
  const dist = join(root, outDir);
  return {
    dist,
    async build(version: string, check: () => void = () => {}) {
      writeFileSync(join(root, 'main.js'), `console.log('${version}')`);
      const late: Plugin = { name: 'late', writeBundle: { order: 'pre', handler: check } };
      await build({
        root,
        configFile: false,
        logLevel: 'silent',
        build: { outDir },
        plugins: [replaceOutput(), late],
      });
    },
  };
}

/** Returns the scripts that the page names, and throws if one of them is missing. */
function scriptsOf(dist: string): string[] {
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  return [...page.matchAll(/src="\/([^"]+)"/g)].map(([, path]) =>
    readFileSync(join(dist, path!), 'utf8'),
  );
}

const namesIn = (dist: string) => readdirSync(dist, { recursive: true }).map(String).toSorted();

test('the former version is complete until the next one is', async () => {
  const app = createApp();
  await app.build('one');
  const [script] = scriptsOf(app.dist);
  expect(script).toContain('one');
  writeFileSync(join(app.dist, '.sources'), 'hash');
  let isChecked = false;
  await app.build('two', () => {
    isChecked = true;
    expect(scriptsOf(app.dist)).toEqual([script]);
  });
  expect(isChecked).toBe(true);
  expect(scriptsOf(app.dist)).toEqual([expect.stringContaining('two')]);
  expect(namesIn(app.dist)).toEqual([
    'assets',
    expect.stringMatching(/^assets.+js$/),
    'index.html',
  ]);
});

test('a failed build changes nothing, and the next one succeeds', async () => {
  const app = createApp();
  await app.build('one');
  const fail = () => {
    throw new Error('failed late');
  };
  await expect(app.build('two', fail)).rejects.toThrow('failed late');
  expect(scriptsOf(app.dist)).toEqual([expect.stringContaining('one')]);
  await app.build('three');
  expect(scriptsOf(app.dist)).toEqual([expect.stringContaining('three')]);
  expect(namesIn(app.dist)).not.toContain('.new');
});

test('a page is replaced after its scripts', async () => {
  const app = createApp();
  mkdirSync(app.dist);
  for (const name of ['index.html', 'assets']) writeFileSync(join(app.dist, name), 'former');
  // The folder of the scripts cannot be created.
  await expect(app.build('one')).rejects.toThrow('EEXIST');
  expect(readFileSync(join(app.dist, 'index.html'), 'utf8')).toBe('former');
});

test('files of others stay in a folder outside of the app, and in .git', async () => {
  const outside = temporaryFolder();
  writeFileSync(join(outside, 'precious'), '');
  const app = createApp(`../${outside.slice(tmpdir().length + 1)}`);
  await app.build('one');
  expect(namesIn(outside)).toEqual(expect.arrayContaining(['index.html', 'precious']));

  const inside = createApp();
  mkdirSync(join(inside.dist, '.git'), { recursive: true });
  writeFileSync(join(inside.dist, '.git/HEAD'), '');
  await inside.build('one');
  expect(namesIn(inside.dist)).toContain('.git/HEAD');
});
