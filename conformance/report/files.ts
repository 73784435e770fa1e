import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Content } from './content.ts';
import { htmlReport } from './html.ts';
import { junitReport } from './junit.ts';

/** Writes the three reports into a folder, which is made when it is missing. Gives their paths. */
export function writeReports(
  folder: string,
  content: Content,
  pictures: { id: string; file: string }[] = [],
): string[] {
  mkdirSync(folder, { recursive: true });
  const files = {
    'conformance.html': htmlReport(content, pictures),
    'conformance.json': `${JSON.stringify(content, null, 2)}\n`,
    'conformance.xml': junitReport(content),
  };
  return Object.entries(files).map(([name, text]) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  });
}
