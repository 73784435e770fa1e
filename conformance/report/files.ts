import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../shared/usage-error.ts';
import { renderHtml } from './html.ts';
import { renderJunit } from './junit.ts';
import type { Report } from './schema.ts';

/** Creates the folder for the reports. Throws if it is not writable. */
export function prepareFolder(folder: string) {
  try {
    mkdirSync(folder, { recursive: true });
    const testFile = join(folder, '.conformance');
    writeFileSync(testFile, '');
    rmSync(testFile);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `--report: cannot write to the folder "${folder}" (${code}). Choose another folder.`,
    );
  }
}

/** Writes the reports into an existing folder. Returns their paths. */
export function writeReports(folder: string, report: Report): string[] {
  const files = {
    'conformance.html': renderHtml(report),
    'conformance.json': `${JSON.stringify(report, null, 2)}\n`,
    'conformance.xml': renderJunit(report),
  };
  return Object.entries(files).map(([name, text]) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  });
}
