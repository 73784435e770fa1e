import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { lintCommand } from '../../../tools/check.ts';
import { longTestMs } from '../../support/time-limits.ts';

vi.setConfig({ testTimeout: longTestMs });

/** What the code of a folder must not use, because its environment does not have it. */
const seeds = [
  { file: 'src/screens/home.tsx', name: 'process', code: "process.env['HOME'];" },
  { file: 'src/api/api.ts', name: 'Buffer', code: "Buffer.from('');" },
  { file: 'machines/auth.ts', name: 'process', code: "process.env['HOME'];" },
  { file: 'machines/projects.ts', name: 'setTimeout', code: 'setTimeout(() => {});' },
  { file: 'server/app.ts', name: 'document', code: 'document.title;' },
];

test('npm run check refuses Node in src/, the DOM in server/, and both in machines/', () => {
  const folder = mkdtempSync(join(tmpdir(), 'environments-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const path of ['.oxlintrc.json', 'tsconfig.json', 'generated', 'machines', 'server', 'src'])
    cpSync(path, join(folder, path), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  for (const { file, code } of seeds)
    appendFileSync(join(folder, file), `export const seed = ${code}\n`);

  const [command = '', ...options] = lintCommand;
  const files = seeds.map(({ file }) => file);
  const { stdout } = spawnSync(command, [...options, '--format=json', ...files], {
    cwd: folder,
    encoding: 'utf8',
  });
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { filename: string; message: string }[];
  };
  const unknownNames = diagnostics.map(({ filename, message }) => ({
    file: filename,
    name: /^Cannot find name '(\w+)'/.exec(message)?.[1],
  }));
  const byFile = (a: { file: string }, b: { file: string }) => a.file.localeCompare(b.file);
  expect(unknownNames.toSorted(byFile)).toEqual(
    seeds.map(({ file, name }) => ({ file, name })).toSorted(byFile),
  );
});
