/**
 * Compares docs/specification.md with the tests and the machines: a test carries each statement,
 * and every id that a test or a machine names belongs to a statement.
 */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import ts from 'typescript';
import { authMachine } from '../machines/auth.ts';
import { projectsMachine } from '../machines/projects.ts';
import { transitions } from './diagram.ts';
import { root } from './run.ts';

/** The name of a test, and its location as `file:line`. */
export type TestName = { name: string; location: string };

const idPattern = /^[A-Z]+-\d+$/;

/** Returns the problems of this project, one per line. */
export async function specificationProblems(): Promise<string[]> {
  const page = await readFile(`${root}docs/specification.md`, 'utf8');
  const files = globSync('tests/**/*.test.{ts,tsx}', { cwd: root }).toSorted();
  const names = await Promise.all(
    files.map(async (file) => testNames(file, await readFile(root + file, 'utf8'))),
  );
  return [...statementProblems(page, names.flat()), ...machineProblems(page)];
}

/** Compares the statements of a page with the names of tests. */
export function statementProblems(page: string, names: TestName[]): string[] {
  const statements = statementsOf(page);
  const references = names.flatMap(({ name, location }) =>
    bracketedIds(name).flatMap((group) =>
      group.split(',').map((part) => ({ reference: part.trim(), group, location })),
    ),
  );
  const carried = new Set(references.map(({ reference }) => reference));
  return [
    ...statements
      .filter((statement, index) => statements.indexOf(statement) !== index)
      .map((statement) => `${statement} is the id of two statements`),
    ...page
      .split('\n')
      .filter((line) => /^\s*[-*] \*\*/.test(line) && statementsOf(line).length === 0)
      .map((line) => `not a statement with an id: ${line}`),
    ...references.flatMap(({ reference, group, location }) => {
      if (!idPattern.test(reference)) return [`${location}: "[${group}]" is not a list of ids`];
      if (!statements.includes(reference)) return [`${location}: unknown statement ${reference}`];
      return [];
    }),
    ...statements
      .filter((statement) => !carried.has(statement))
      .map((statement) => `no test carries ${statement}`),
  ];
}

/**
 * Returns the names of the tests and groups in a file, including rows of `each`, without skipped
 * ones. Of a template literal, the literal parts count.
 */
export function testNames(file: string, source: string): TestName[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const names: TestName[] = [];
  visit(tree);
  return names;

  function visit(node: ts.Node): void {
    if (ts.isCallExpression(node)) {
      const { words, tables } = calleeOf(node.expression);
      if (/^(test|it|describe)$/.test(words[0] ?? '')) {
        if (words.some((word) => /^(skip|todo)$/.test(word))) return;
        const texts = [...tables, ...node.arguments.slice(0, 1)].flatMap(textsIn);
        const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
        names.push(...texts.map((name) => ({ name, location: `${file}:${line}` })));
      }
    }
    ts.forEachChild(node, visit);
  }
}

function statementsOf(page: string): string[] {
  return [...page.matchAll(/^- \*\*([A-Z]+-\d+)\*\* \S/gm)].map((match) => match[1] ?? '');
}

/** Returns the contents of each `[…]` that names an id. */
function bracketedIds(name: string): string[] {
  return [...name.matchAll(/\[([^[\]]*)\]/g)]
    .map((match) => match[1] ?? '')
    .filter((group) => /\b[A-Z]+-\d+/.test(group));
}

/** Returns `['test', 'each']` and the table for `test.each(table)`. */
function calleeOf(callee: ts.Expression): { words: string[]; tables: ts.Node[] } {
  if (ts.isIdentifier(callee)) return { words: [callee.text], tables: [] };
  if (ts.isPropertyAccessExpression(callee)) {
    const { words, tables } = calleeOf(callee.expression);
    return { words: [...words, callee.name.text], tables };
  }
  if (!ts.isCallExpression(callee)) return { words: [], tables: [] };
  const { words, tables } = calleeOf(callee.expression);
  return { words, tables: [...tables, ...callee.arguments] };
}

function textsIn(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    return [node.head.text, ...node.templateSpans.map((span) => span.literal.text)];
  }
  const texts: string[] = [];
  ts.forEachChild(node, (child) => void texts.push(...textsIn(child)));
  return texts;
}

function machineProblems(page: string): string[] {
  const known = new Set(statementsOf(page));
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
