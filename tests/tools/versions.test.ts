import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(path, 'utf8');
const { version, engines, devDependencies, optionalDependencies } = JSON.parse(
  read('package.json'),
);
const major = (text: string) => /\d+/.exec(text)![0];

test('the kit has the version of the project', () => {
  expect(JSON.parse(read('conformance/package.json'))).toMatchObject({ version, engines });
});

test('scripts, types, container and .nvmrc use one major version of Node', () => {
  const ofScripts = /requiredMajor = (\d+)/.exec(read('tools/node-version.js'))![1];
  const nodes = Object.entries<string>(optionalDependencies).filter(([name]) =>
    name.startsWith('node-'),
  );
  expect(nodes.length).toBeGreaterThan(1);
  expect(new Set(nodes.map(([, exact]) => exact)).size).toBe(1);
  const images = [...read('Containerfile').matchAll(/FROM \S+\/node:(\S+)/g)].map(
    ([, tag]) => tag!,
  );
  expect(images.length).toBeGreaterThan(0);
  const others = [...nodes.map(([, exact]) => exact), ...images, devDependencies['@types/node']];
  for (const other of [...others, read('.nvmrc')]) expect(major(other)).toBe(ofScripts);
});

test('CI runs the oldest supported Node and the one of the scripts, on x64 and arm64', () => {
  const ci = read('.github/workflows/ci.yml');
  const list = (name: string) => new RegExp(`${name}: \\[(.*)\\]`).exec(ci)![1]!.split(', ');
  expect(list('node')).toEqual(
    expect.arrayContaining([major(engines.node), read('.nvmrc').trim()]),
  );
  expect(list('os')).toEqual(['ubuntu-24.04', 'ubuntu-24.04-arm']);
});
