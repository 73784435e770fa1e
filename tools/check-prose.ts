/**
 * Checks comments, docs, messages and test titles against two rules of the style guide: a sentence
 * names its actor, and a line of prose has at most 100 columns.
 */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { root } from './run.ts';

const maxColumns = 100;
/** Words that hide the actor of a sentence. */
const vagueWords = /\b(who(?:so)?ever|whatever|somebody|nobody|anew)\b/i;

/** Files in which a vague word is data. */
const allowed = new Set(['tools/check-prose.ts', 'tests/tools/check-prose.test.ts']);

/** Returns the violations in the project, one per line. */
export async function proseProblems(): Promise<string[]> {
  const files = globSync(
    [
      '**/*.{ts,tsx,js,mjs,py,sql,css,html,md,yaml,yml}',
      '.ci/run',
      '.github/**/*.yml',
      'Containerfile',
    ],
    { cwd: root, exclude: ['**/node_modules', '**/dist', 'generated', 'tests/out'] },
  ).toSorted();
  const problems = await Promise.all(
    files.map(async (file) => problemsIn(file, await readFile(root + file, 'utf8'))),
  );
  return problems.flat();
}

/**
 * Returns the violations in one file. Its name decides which lines are prose. Link targets do not
 * count, because they cannot be wrapped.
 */
export function problemsIn(file: string, source: string): string[] {
  const isProse = filterFor(file);
  return source.split('\n').flatMap((line, index) => {
    const location = `${file}:${index + 1}`;
    const columns = line.replaceAll(/\]\([^)]*\)/g, ']').length;
    const word = allowed.has(file) ? undefined : vagueWords.exec(line)?.[0];
    return [
      ...(word ? [`${location}: "${word}" names no actor`] : []),
      ...(isProse(line) && columns > maxColumns
        ? [`${location}: ${columns} columns, at most ${maxColumns}`]
        : []),
    ];
  });
}

function filterFor(file: string): (line: string) => boolean {
  if (file.endsWith('.md')) return createMarkdownFilter();
  return /\.ya?ml$/.test(file) ? () => true : isComment;
}

/** Returns whether a line is a comment, or ends in one. */
function isComment(line: string): boolean {
  return /^\s*(\/\/|\/?\*|#|--|<!--)|\s\/\/ \w/.test(line);
}

/** Returns a filter for lines outside code blocks, tables, quotes, HTML and link definitions. */
function createMarkdownFilter(): (line: string) => boolean {
  let isCode = false;
  return (line) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    return !isCode && !/^\s*(\||>|<|\[[^\]]+\]:)/.test(line);
  };
}
