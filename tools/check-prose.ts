/**
 * Checks comments, docs, messages and test titles against two rules of the style guide that a
 * script can decide: the subject of a sentence is named, and a line of prose has 100 columns.
 */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { root } from './run.ts';

const maxColumns = 100;
/** Words that hide the actor of a sentence. */
const vagueWords = /\b(who(?:so)?ever|whatever|somebody|nobody|anew)\b/i;

/** Files in which a vague word is data, with the reason. */
const allowed: Record<string, string> = {
  'tools/check-prose.ts': 'this list of words',
  'tests/unit/tools/check-prose.test.ts': 'examples of what the check refuses',
};

/** Returns one line per violation in the project: `file:line: what is wrong`. */
export async function proseProblems(): Promise<string[]> {
  const files = globSync('**/*.{ts,tsx,js,mjs,py,sql,md,yaml,yml,html}', {
    cwd: root,
    exclude: ['**/node_modules', '**/dist', 'generated', 'tests/out'],
  }).toSorted();
  const problems = await Promise.all(
    files.map(async (file) => problemsIn(file, await readFile(`${root}${file}`, 'utf8'))),
  );
  return problems.flat();
}

/** Returns the violations in one file. The file name decides what counts as prose. */
export function problemsIn(file: string, source: string): string[] {
  const isProse = file.endsWith('.md') ? markdownProse() : isCommentLine;
  return source.split('\n').flatMap((line, index) => {
    const at = `${file}:${index + 1}`;
    const word = file in allowed ? undefined : vagueWords.exec(line)?.[0];
    return [
      ...(word ? [`${at}: names no actor: "${word}"`] : []),
      ...(line.length > maxColumns && isProse(line)
        ? [`${at}: ${line.length} columns, at most ${maxColumns}`]
        : []),
    ];
  });
}

/** A line that is a comment, or that ends in one. */
function isCommentLine(line: string): boolean {
  return /^\s*(\/\/|\/?\*|#|--|<!--)|\s\/\/ \w/.test(line);
}

/** Markdown is prose outside code blocks, tables, quotes and link targets. */
function markdownProse(): (line: string) => boolean {
  let isCode = false;
  return (line) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    return !isCode && !/^\s*(\||>|<|\[[^\]]+\]:)/.test(line);
  };
}
