import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/**
 * openapi.yaml -> generated/ -> src/api -> machines/ -> src/actors -> src/screens (built from src/ui)
 *
 * A file imports from its own room and from the rooms named here, which are all to its left. Where this fails, a type wants to
 * move into the contract, or a decision into a machine.
 */
const rooms: Record<string, { from: string[]; packages: string[] }> = {
  'src/api/': { from: ['generated/', 'machines/types.ts'], packages: ['openapi-fetch'] },
  'machines/': { from: ['generated/'], packages: ['xstate'] },
  'src/actors.ts': { from: ['machines/', 'src/api/'], packages: ['xstate'] },
  'src/app-context.ts': { from: ['src/actors.ts'], packages: ['react'] },
  'src/styles/': { from: [], packages: ['@vanilla-extract/css'] },
  'src/ui/': { from: ['src/styles/'], packages: ['react', '@vanilla-extract/css'] },
  'src/screens/': {
    from: ['src/ui/', 'src/app-context.ts', 'machines/types.ts'],
    packages: [
      'react',
      'react-hook-form',
      '@hookform/resolvers',
      'zod',
      '@xstate/react',
      '@tanstack/react-router',
    ],
  },
  // Any package, but nothing of the app's: a backend knows the contract alone.
  'server/': {
    from: ['generated/', 'openapi.yaml'],
    packages: ['@', 'ajv', 'fast-json-stringify', 'fastify', 'helmet', 'node:', 'pg', 'yaml'],
  },
};

const imports = /^(?:import|export)\s(?:[^'"();]*?\sfrom\s)?['"]([^'"]+)['"]/gm;

test.each(Object.entries(rooms))('%s imports only from its left', (room, { from, packages }) => {
  const files = globSync(room.endsWith('/') ? `${room}**/*.{ts,tsx}` : room);
  expect(files).not.toEqual([]);
  const strangers = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(imports)]
      .map(([, specifier = '']) =>
        specifier.startsWith('.') ? join(dirname(file), specifier) : specifier,
      )
      .filter((target) => ![room, ...from, ...packages].some((known) => target.startsWith(known)))
      .map((target) => `${file} imports ${target}`),
  );
  expect(strangers).toEqual([]);
});

test('machines know nothing of how: no network, no storage, no clock, no page', () => {
  const how =
    /\b(fetch|XMLHttpRequest|localStorage|sessionStorage|document|window|navigator|Date|performance|setTimeout|setInterval|Math\.random)\b\s*[.(]/;
  for (const file of globSync('machines/*.ts')) {
    expect(`${file}: ${readFileSync(file, 'utf8').match(how)?.[0]}`).toBe(`${file}: undefined`);
  }
});

test('every dependency is imported somewhere', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  const sources = globSync('{src,machines,model,server,tests,tools,conformance}/**/*.{ts,tsx}')
    .concat('vite.config.ts')
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  // Programs and peers, which nothing imports by name.
  const elsewhere = [
    'typescript',
    'oxlint',
    'oxlint-tsgolint',
    'oxfmt',
    'jsdom',
    '@types/',
    '@testing-library/dom',
  ];
  const unused = Object.keys({ ...dependencies, ...devDependencies })
    .filter((name) => !elsewhere.some((known) => name.startsWith(known)))
    .filter((name) => !new RegExp(`(?:from |import\\()['"]${name}['"/]`).test(sources));
  expect(unused).toEqual([]);
});

test('every style is worn by something', () => {
  const sources = globSync('src/**/*.{ts,tsx}').map((file) => readFileSync(file, 'utf8'));
  /** Whether a source imports the style by its name, or says `css.name` of what it imports as `css`. */
  const wears = (source: string, file: string, name: string) =>
    [...source.matchAll(/^import ([^'"]+) from '([^']+)'/gm)]
      .filter(([, , from = '']) => basename(from) === basename(file))
      .some(([, what = '']) => {
        const all = /\* as (\w+)/.exec(what)?.[1];
        return new RegExp(all ? `\\b${all}\\.${name}\\b` : `\\b${name}\\b`).test(
          all ? source : what,
        );
      });
  const unworn = globSync('src/**/*.css.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^export const (\w+) = style\(/gm)]
      .map(([, name = '']) => name)
      .filter((name) => !sources.some((source) => wears(source, file, name)))
      .map((name) => `${file}: nothing wears "${name}"`),
  );
  expect(unworn).toEqual([]);
});
