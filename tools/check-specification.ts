/**
 * Compares docs/specification.md with the tests and the machines: a test carries each statement,
 * and every id that a test or a machine names belongs to a statement.
 */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { machines } from '../machines/all.ts';
import { transitions } from './diagram.ts';
import { root, testFiles } from './run.ts';

/** A test that names a statement. `group` is the whole text between the brackets. */
type Reference = { id: string; group: string; file: string; line: number };

/** Returns the problems of this project, one per line. */
export async function specificationProblems(): Promise<string[]> {
  const page = await readFile(`${root}docs/specification.md`, 'utf8');
  const references = globSync([testFiles, 'tests/engines/stories/*.ts'], { cwd: root })
    .toSorted()
    .map(async (file) => referencesIn(file, await readFile(root + file, 'utf8')));
  return [
    ...statementProblems(page, (await Promise.all(references)).flat()),
    ...machineProblems(page),
  ];
}

/** Compares the statements of a page with what tests name. */
export function statementProblems(page: string, references: Reference[]): string[] {
  const ids = statementIds(page);
  const used = [...ids, ...retiredIds(page)];
  const carried = new Set(references.map(({ id }) => id));
  return [
    ...used
      .filter((id, index) => used.indexOf(id) !== index)
      .map((id) => `${id} is the id of two statements`),
    ...page
      .split('\n')
      .filter((line) => /^\s*[-*] \*\*/.test(line) && statementIds(line).length === 0)
      .map((line) => `not a statement with an id: ${line}`),
    ...references.flatMap(({ id, group, file, line }) => {
      if (!/^[A-Z]+-\d+$/.test(id)) return [`${file}:${line}: "[${group}]" is not a list of ids`];
      return ids.includes(id) ? [] : [`${file}:${line}: unknown statement ${id}`];
    }),
    ...ids
      .filter((id) => !carried.has(id))
      .map((id) => {
        const line = page.split(`**${id}**`, 1)[0]!.split('\n').length;
        return `docs/specification.md:${line}: no test carries ${id}`;
      }),
  ];
}

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

/** Returns each transition that names no statement, or one that the page does not have. */
export function machineProblems(page: string): string[] {
  const known = statementIds(page);
  return Object.values(machines).flatMap((machine) =>
    transitions(machine).flatMap(({ from, event, statements }) => {
      const location = `machine ${machine.id}, ${from}, ${event}`;
      if (statements.length === 0) return [`${location}: names no statement`];
      return statements
        .filter((statement) => !known.includes(statement))
        .map((statement) => `${location}: unknown statement ${statement}`);
    }),
  );
}

/** Returns the ids of the statements of a page in its order. */
const statementIds = (page: string): string[] =>
  Array.from(page.matchAll(/^- \*\*([A-Z]+-\d+)\*\* \S/gm), ([, id = '']) => id);

/** Returns the ids that a page lists as those of removed statements. */
const retiredIds = (page: string): string[] =>
  Array.from(page.matchAll(/^- ([A-Z]+-\d+): \S/gm), ([, id = '']) => id);
