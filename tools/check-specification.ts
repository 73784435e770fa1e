/**
 * Holds the tests and the machines to docs/specification.md: each statement is carried by a test, and each id that a test or a
 * machine names is a statement's.
 */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import ts from 'typescript';
import { authMachine } from '../machines/auth.ts';
import { projectsMachine } from '../machines/projects.ts';
import { transitions } from './diagram.ts';
import { root } from './run.ts';

/** A test's name, and where it stands: `file:line`. */
export type TestName = { name: string; at: string };

const id = /^[A-Z]+-\d+$/;

/** What is wrong in this project, one line per fault. */
export async function specificationProblems(): Promise<string[]> {
  const page = await readFile(`${root}docs/specification.md`, 'utf8');
  const files = globSync('tests/**/*.test.{ts,tsx}', { cwd: root }).toSorted();
  const names = await Promise.all(
    files.map(async (file) => testNames(file, await readFile(root + file, 'utf8'))),
  );
  return [...problems(page, names.flat()), ...machineProblems(page)];
}

/** Compares a page of statements with the names of tests. */
export function problems(page: string, names: TestName[]): string[] {
  const statements = statementsOf(page);
  const known = new Set(statements);
  const carried = new Set<string>();
  const found = statements
    .filter((statement, index) => statements.indexOf(statement) !== index)
    .map((statement) => `${statement} is the id of two statements`);

  for (const line of page.split('\n').filter((text) => /^\s*[-*] \*\*/.test(text))) {
    if (statementsOf(line).length === 0) found.push(`not a statement with an id: ${line}`);
  }
  for (const { name, at } of names) {
    for (const group of bracketed(name)) {
      for (const reference of group.split(',').map((part) => part.trim())) {
        if (!id.test(reference)) found.push(`${at}: "[${group}]" is no list of ids`);
        else if (!known.has(reference)) found.push(`${at}: no statement has the id ${reference}`);
        carried.add(reference);
      }
    }
  }
  return [
    ...found,
    ...statements
      .filter((statement) => !carried.has(statement))
      .map((statement) => `${statement} is carried by no test`),
  ];
}

/**
 * The names that a test file gives to its tests and groups, rows of `each` included, tests that are skipped left out. Of a
 * name that is put together, the parts that are written down.
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
        const written = [...tables, ...node.arguments.slice(0, 1)].flatMap(textsIn);
        const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
        names.push(...written.map((name) => ({ name, at: `${file}:${line}` })));
      }
    }
    ts.forEachChild(node, visit);
  }
}

function statementsOf(page: string): string[] {
  return [...page.matchAll(/^- \*\*([A-Z]+-\d+)\*\* \S/gm)].map((match) => match[1] ?? '');
}

/** Groups in brackets that hold an id; other brackets are no concern of ours. */
function bracketed(name: string): string[] {
  return [...name.matchAll(/\[([^[\]]*)\]/g)]
    .map((match) => match[1] ?? '')
    .filter((group) => /\b[A-Z]+-\d+/.test(group));
}

/** `test.each(table)` is `['test', 'each']` and the arguments between. */
function calleeOf(callee: ts.Expression): { words: string[]; tables: ts.Node[] } {
  if (ts.isIdentifier(callee)) return { words: [callee.text], tables: [] };
  if (ts.isPropertyAccessExpression(callee)) {
    const { words, tables } = calleeOf(callee.expression);
    return { words: [...words, callee.name.text], tables };
  }
  if (ts.isCallExpression(callee)) {
    const { words, tables } = calleeOf(callee.expression);
    return { words, tables: [...tables, ...callee.arguments] };
  }
  return { words: [], tables: [] };
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
      const at = `machine ${machine.id}, ${from}, ${event}`;
      if (statements.length === 0) return [`${at}: names no statement`];
      return statements
        .filter((statement) => !known.has(statement))
        .map((statement) => `${at}: no statement has the id ${statement}`);
    }),
  );
}
