import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Report } from './create-report.ts';
import { renderHtml } from './html.ts';
import { renderJunit } from './junit.ts';

/** Makes the folder for the reports where it is missing, or says why nothing can be written into it. */
export function folderFault(folder: string): string | undefined {
  try {
    makeFolder(resolve(folder));
    const trial = join(folder, '.conformance');
    writeFileSync(trial, '');
    rmSync(trial);
    return undefined;
  } catch (error) {
    return `--report: nothing can be written into "${folder}" (${(error as NodeJS.ErrnoException).code}). Name another folder.`;
  }
}

/** One folder after another: Node's own `recursive` never ends where a folder cannot be made below one that is there (/proc). */
function makeFolder(folder: string) {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

/** Writes the three reports into a folder that is there. Gives their paths. */
export function writeReports(
  folder: string,
  report: Report,
  pictures: { id: string; file: string }[] = [],
): string[] {
  const files = {
    'conformance.html': renderHtml(report, pictures),
    'conformance.json': `${JSON.stringify(report, null, 2)}\n`,
    'conformance.xml': renderJunit(report),
  };
  return Object.entries(files).map(([name, text]) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  });
}
