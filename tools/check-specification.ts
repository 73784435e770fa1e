/**
 * Compares docs/specification.md with the tests and the machines: a test carries each statement,
 * and every id that a test or a machine names belongs to a statement.
 */
import { authMachine } from '../machines/auth.ts';
import { projectsMachine } from '../machines/projects.ts';
import { transitions } from './diagram.ts';
import { readReferences, readSpecification, statementIds, type Reference } from './statements.ts';

/** Returns the problems of this project, one per line. */
export async function specificationProblems(): Promise<string[]> {
  const page = await readSpecification();
  return [...statementProblems(page, await readReferences()), ...machineProblems(page)];
}

/** Compares the statements of a page with what tests name. */
export function statementProblems(page: string, references: Reference[]): string[] {
  const ids = statementIds(page);
  const carried = new Set(references.map(({ id }) => id));
  return [
    ...ids
      .filter((id, index) => ids.indexOf(id) !== index)
      .map((id) => `${id} is the id of two statements`),
    ...page
      .split('\n')
      .filter((line) => /^\s*[-*] \*\*/.test(line) && statementIds(line).length === 0)
      .map((line) => `not a statement with an id: ${line}`),
    ...references.flatMap(({ id, group, file, line }) => {
      if (!/^[A-Z]+-\d+$/.test(id)) return [`${file}:${line}: "[${group}]" is not a list of ids`];
      return ids.includes(id) ? [] : [`${file}:${line}: unknown statement ${id}`];
    }),
    ...ids.filter((id) => !carried.has(id)).map((id) => `no test carries ${id}`),
  ];
}

function machineProblems(page: string): string[] {
  const known = new Set(statementIds(page));
  return [authMachine, projectsMachine].flatMap((machine) =>
    transitions(machine).flatMap(({ from, event, statements }) => {
      const location = `machine ${machine.id}, ${from}, ${event}`;
      if (statements.length === 0) return [`${location}: names no statement`];
      return statements
        .filter((statement) => !known.has(statement))
        .map((statement) => `${location}: unknown statement ${statement}`);
    }),
  );
}
