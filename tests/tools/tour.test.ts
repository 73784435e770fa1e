import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { root } from '../../tools/run.ts';
import { longTestMs } from '../support/time-limits.ts';

vi.setConfig({ testTimeout: 6 * longTestMs });

type Change = (read: string) => string;

/** The experiments of docs/tour.md: the file to change, the commands of the page, and their output. */
test.each<[file: string, Change | undefined, commands: string[], output: RegExp]>([
  [
    'machines/projects.ts',
    (chart) => chart.replace(/'notifyList',? ?/, ''),
    ['npm run test:app -- screens/projects'],
    /FAIL .+CHOICE-31/,
  ],
  [
    'openapi.yaml',
    (contract) => {
      const [before = '', after = ''] = contract.split('    NewProject:\n');
      return `${before}    NewProject:\n${after.replace('[title,', '[name,').replace('title:', 'name:')}`;
    },
    // The types are one of the checks.
    ['npm run generate', 'npx tsc --noEmit'],
    /src\/[^]+'title'/,
  ],
  [
    'server/operations/createProject.ts',
    undefined,
    ['npm run serve'],
    /write server\/operations\/createProject\.ts/,
  ],
])(
  'a change of %s has the effect that the tour describes',
  async (file, change, commands, output) => {
    const folder = copyProject();
    const path = join(folder, file);
    const before = readFileSync(path, 'utf8');
    if (change) writeFileSync(path, change(before));
    else rmSync(path);
    expect(change?.(before)).not.toBe(before);
    let printed = '';
    for (const command of commands) printed += await run(command, folder);
    expect(printed).toMatch(output);
    const page = readFileSync(join(root, 'docs/tour.md'), 'utf8');
    expect(page).toContain(`\`${file}\``);
  },
);

/** What a checkout does not have. */
const leftOut = ['.git', 'node_modules', 'data', 'dist', 'out', '.cache'];

function copyProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tour-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const filter = (path: string) => !leftOut.includes(basename(path));
  cpSync(root, folder, { recursive: true, filter });
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist/index.html'), '<!doctype html>');
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Returns all that a command prints. */
async function run(command: string, cwd: string): Promise<string> {
  const env = { ...process.env, NO_COLOR: '1', PORT: '0', DATA_DIR: join(cwd, 'data') };
  const child = spawn(command, { cwd, env, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  return (await Promise.all([text(child.stdout), text(child.stderr)])).join('');
}
