/** Reads the statements of docs/specification.md, and the tests that name them. */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { root } from './run.ts';

/** A test that names a statement. `group` is the whole text between the brackets. */
export type Reference = { id: string; group: string; file: string; line: number };

/** Returns the text of docs/specification.md. */
export const readSpecification = () => readFile(`${root}docs/specification.md`, 'utf8');

/** Returns what the tests in tests/ name. */
export async function readReferences(): Promise<Reference[]> {
  const files = globSync('tests/**/*.test.{ts,tsx}', { cwd: root }).toSorted();
  const references = await Promise.all(
    files.map(async (file) => referencesIn(file, await readFile(root + file, 'utf8'))),
  );
  return references.flat();
}

/** Returns the ids of the statements of a page in its order. */
export const statementIds = (page: string): string[] =>
  Array.from(page.matchAll(/^- \*\*([A-Z]+-\d+)\*\* \S/gm), ([, id = '']) => id);

/**
 * Returns one reference for each id between brackets in a test file, or for each malformed part of
 * a list of ids. Ignores comments and skipped tests.
 */
export const referencesIn = (file: string, source: string): Reference[] =>
  source
    .split('\n')
    .flatMap((text, index) =>
      /^\s*(?:\/\/|\*)|\.(?:skip|todo)\b/.test(text)
        ? []
        : Array.from(text.matchAll(/\[([^[\]'"`]*\b[A-Z]+-\d[^[\]'"`]*)\]/g), ([, group = '']) =>
            group.split(',').map((id) => ({ id: id.trim(), group, file, line: index + 1 })),
          ).flat(),
    );
