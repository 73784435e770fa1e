import { expect, test } from 'vitest';
import { scripts } from '../../package.json';
import config from '../../vitest.config.ts';

test.each(['test:unit', 'test:watch'] as const)('%s runs the projects of quick tests', (script) => {
  const projects = config.test!.projects as { test: { name: string; testTimeout?: number } }[];
  const quick = projects.flatMap(({ test: { name, testTimeout } }) => (testTimeout ? [] : name));
  const named = scripts[script].match(/(?<=--project )\S+/g) ?? [];
  expect([...named, 'app:model'].toSorted()).toEqual(quick.toSorted());
});
