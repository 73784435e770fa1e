import { expect, test } from 'vitest';
import { scripts } from '../../package.json';
import { projects } from '../../testing/vitest-projects.ts';

test('a start and a local server ask for a contract that is not stale', () => {
  const importsOf = (script: string) => script.match(/--import \S+/g);
  expect(importsOf(scripts.serve)).toEqual(importsOf(scripts.start));
});

test('the tests of both stores run on PostgreSQL too', () => {
  const include = expect.arrayContaining(projects['server:postgres']!.include!);
  expect(projects).toMatchObject({
    'server:unit': { include, provide: { stores: ['SQLite'] } },
    'server:postgres': { provide: { stores: ['PostgreSQL'] } },
  });
});

test.each(['test:unit', 'test:watch'] as const)('%s runs the projects of quick tests', (script) => {
  const pages = Object.keys(projects).filter((name) => projects[name]?.environment);
  const named = scripts[script].match(/(?<=--project )\S+/g) ?? [];
  expect([...named, 'app:model'].toSorted()).toEqual([...pages, 'quick'].toSorted());
});
