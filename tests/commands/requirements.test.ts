import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../tools/run.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

const vite = 'node_modules/vite';
const binding = `node_modules/@rolldown/binding-${process.platform}-${process.arch}-gnu`;
const installed = [vite, binding];
/** Runs what each command begins with, in a folder with this name and these folders in it. */
function startCommand(
  name: string,
  folders: string[],
  { node = process.versions.node, before = '', ...npm }: Record<string, string> = {},
) {
  const parent = temporaryFolder();
  const cwd = join(parent, name);
  for (const folder of folders) mkdirSync(join(cwd, folder), { recursive: true });
  for (const file of ['requirements.cjs', 'development-requirements.cjs']) {
    cpSync(join(root, 'tools', file), join(cwd, 'tools', file));
  }
  writeFileSync(
    join(cwd, 'version.cjs'),
    `Object.defineProperty(process.versions, 'node', { value: '${node}' });${before}`,
  );
  const preloaded = ['./version.cjs', './tools/development-requirements.cjs'];
  const program = [
    ...preloaded.map((file) => `--require=${file}`),
    '-p',
    '`NODE_ENV=${process.env.NODE_ENV}`',
  ];
  const env = { ...process.env, NODE_ENV: 'development', ...npm };
  const { status, stdout, stderr } = spawnSync(process.execPath, program, {
    cwd,
    env,
    encoding: 'utf8',
  });
  return { status, printed: stdout + stderr };
}

test.each(['a b', 'a-_.,@+=~()&', 'é 日本 😀'])(
  'a command runs in the folder %j, without the NODE_ENV of the terminal',
  (name) => {
    expect(startCommand(name, installed)).toEqual({ status: 0, printed: 'NODE_ENV=undefined\n' });
  },
);

test.each([
  ...Array.from('\t\n!"#$%\'*:;<>?[\\]^`{|}', (character): [string, string[], RegExp] => [
    `a${character}b`,
    installed,
    /^The path of this folder has the character .+ rename or move /,
  ]),
  ['node_modules/a', installed, /^The build cannot handle a folder in node_modules: move /],
  ['without any package', [], /development dependencies .+ run "npm ci --include=dev"\.$/],
  ['--omit=dev', ['node_modules/fastify'], /run "npm ci --include=dev"\.$/],
  ['--omit=optional', [vite, 'node_modules/@rolldown'], /run "npm ci --include=optional"\.$/],
  [
    'copied from another system',
    [vite, 'node_modules/@rolldown/binding-win32-x64-msvc'],
    /run "npm ci --include=optional"\.$/,
  ],
])('a command prints one sentence in the folder %j with %j', (name, folders, sentence) => {
  const { status, printed } = startCommand(name, folders);
  expect(status).toBe(1);
  expect(printed.trim()).toMatch(sentence);
});

test('a command on an old Node says which one it needs', () => {
  const { status, printed } = startCommand('a', installed, { node: '20.20.2' });
  expect(status).toBe(1);
  expect(printed).toMatch(
    /^This project needs Node 24 or newer, and this is Node 20\.20\.2\. .+\n$/,
  );
});

test('a command says that npm is set to the workspaces only', () => {
  const { status, printed } = startCommand('a', installed, { npm_config_workspaces: 'true' });
  expect(status).toBe(1);
  expect(printed).toMatch(/^Unset "workspaces" of npm .+\n$/);
});

test.each(['', 'node_modules', 'dist'])(
  'a command names the folder %j and its owner, if the user may not write to it',
  (folder) => {
    // Root may write everywhere, and other users cannot change the owner.
    const before = `
      const fs = require('node:fs');
      const { accessSync } = fs;
      fs.accessSync = (path, mode) => {
        if (path === process.cwd() + '/${folder}') throw new Error('EACCES');
        accessSync(path, mode);
      };`;
    const { status, printed } = startCommand('a', [...installed, 'dist'], { before });
    expect(status).toBe(1);
    expect(printed).toMatch(
      new RegExp(`^You may not write to .+/a/${folder}, which .+ id ${process.getuid!()}: .+\n$`),
    );
  },
);

test('each command that runs Node begins with the requirements', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const programs = Object.values(scripts).filter((script) => /\bnode /.test(script));
  expect(programs.length).toBeGreaterThan(10);
  for (const program of programs) {
    expect(program).toMatch(/^(exec )?node --require \.\/tools\/(development-)?requirements\.cjs/);
  }
});
