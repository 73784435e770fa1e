/** Reads the statements of docs/specification.md, and the tests that name them. */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import ts from 'typescript';
import { root } from './run.ts';

/** A statement, its text on one line, and the heading that it is below. */
export type Statement = { id: string; text: string; section: string };

/**
 * The name of a test or group, or a row of its table. `title` is what Vitest prints, as far as it
 * is known without running the test.
 */
export type TestName = { name: string; title: string; file: string; line: number };

/** A test that names a statement. `group` is the whole text between the brackets. */
export type Reference = { id: string; group: string; test: TestName };

/** Returns the text of docs/specification.md. */
export const readSpecification = () => readFile(`${root}docs/specification.md`, 'utf8');

/** Returns the names of all tests in tests/. */
export async function readTestNames(): Promise<TestName[]> {
  const files = globSync('tests/**/*.test.{ts,tsx}', { cwd: root }).toSorted();
  const names = await Promise.all(
    files.map(async (file) => testNames(file, await readFile(root + file, 'utf8'))),
  );
  return names.flat();
}

/** Returns the statements of a page in its order. */
export function statementsOf(page: string): Statement[] {
  const statements: Statement[] = [];
  let section = '';
  for (const [, heading, id, text = ''] of page.matchAll(
    /^#+ (.+)|^- \*\*([A-Z]+-\d+)\*\* (\S.*(?:\n {2}.*)*)/gm,
  )) {
    if (heading) section = heading;
    if (id) statements.push({ id, text: text.replaceAll(/\s+/g, ' '), section });
  }
  return statements;
}

/** Returns one reference for each id, or for each malformed part of a list of ids. */
export function referencesIn(names: TestName[]): Reference[] {
  return names.flatMap((test) =>
    [...test.name.matchAll(/\[([^[\]]*)\]/g)]
      .map((match) => match[1] ?? '')
      .filter((group) => /\b[A-Z]+-\d+/.test(group))
      .flatMap((group) => group.split(',').map((part) => ({ id: part.trim(), group, test }))),
  );
}

/**
 * Returns the names of the tests and groups in a file, without skipped ones. Includes the rows of
 * `each`, also of a table that is a variable of the file. Of a template literal, the literal parts
 * count.
 */
export function testNames(file: string, source: string): TestName[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const variables = new Map<string, ts.Node>();
  const names: TestName[] = [];
  visit(tree);
  return names;

  function visit(node: ts.Node): void {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      variables.set(node.name.text, node.initializer);
    }
    if (ts.isCallExpression(node)) {
      const { words, tables } = calleeOf(node.expression);
      const isTable = tables.length === 0 && /^(each|for)$/.test(words.at(-1) ?? '');
      if (/^(test|it|describe)$/.test(words[0] ?? '') && !isTable) {
        if (words.some((word) => /^(skip|todo)$/.test(word))) return;
        const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
        const titles = node.arguments.slice(0, 1).flatMap((text) => textsIn(text, variables));
        const title = titles.join('…');
        for (const name of titles) names.push({ name, title, file, line });
        for (const name of tables.flatMap((table) => textsIn(table, variables))) {
          const row = title.includes('%s') ? title.replace('%s', name) : `${title}: ${name}`;
          names.push({ name, title: row, file, line });
        }
      }
    }
    ts.forEachChild(node, visit);
  }
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

/** Returns the texts in a node and in the variables that it names, each variable once. */
function textsIn(node: ts.Node, variables: ReadonlyMap<string, ts.Node>): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    return [node.head.text, ...node.templateSpans.map((span) => span.literal.text)];
  }
  if (ts.isIdentifier(node)) {
    const value = variables.get(node.text);
    const others = new Map([...variables].filter(([name]) => name !== node.text));
    return value ? textsIn(value, others) : [];
  }
  const texts: string[] = [];
  ts.forEachChild(node, (child) => void texts.push(...textsIn(child, variables)));
  return texts;
}
