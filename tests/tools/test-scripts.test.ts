import { expect, test } from 'vitest';
import { scripts } from '../../package.json';
import config from '../../vitest.config.ts';

test('a start and a local server ask for a contract that is not stale', () => {
  const importsOf = (script: string) => script.match(/--import \S+/g);
  expect(importsOf(scripts.serve)).toEqual(importsOf(scripts.start));
});

test('the tests of both stores run on PostgreSQL too', () => {
  const projects = config.test!.projects as { test: { name: string; provide?: object } }[];
  const provided = Object.fromEntries(
    projects.map(({ test: { name, provide } }) => [name, provide]),
  );
  expect(provided).toMatchObject({
    'server:unit': { stores: ['SQLite'] },
    'server:postgres': { stores: ['PostgreSQL'] },
  });
});

test.each(['test:unit', 'test:watch'] as const)('%s runs the projects of quick tests', (script) => {
  const projects = config.test!.projects as { test: { name: string; testTimeout?: number } }[];
  const quick = projects.flatMap(({ test: { name, testTimeout } }) => (testTimeout ? [] : name));
  const named = scripts[script].match(/(?<=--project )\S+/g) ?? [];
  expect([...named, 'app:model'].toSorted()).toEqual(quick.toSorted());
});
