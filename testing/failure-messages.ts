import { existsSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { afterEach } from 'vitest';

/** The statement up to a line of a formatted file, such as `expect(isOpen).toBe(true)`. */
function statementAt(path: string, lineNumber: number): string {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, lineNumber);
  const indent = lines.at(-1)!.search(/\S/);
  // A line such as `.toBe(true);` or `).toBe(true);` continues a statement.
  const start = lines.findLastIndex((line) => /^ *[^\s.)\]}]/.test(line.slice(0, indent + 1)));
  const text = lines.slice(start).join(' ').replaceAll(/\s+/g, ' ').trim();
  return text
    .slice(0, 200)
    .replace(/;$/, '')
    .replace(/[([{`]$/, '$&…');
}

/** Returns a message whose first line has of long values the lines that differ, or the ends. */
function shorten({ message, diff = '' }: { message: string; diff?: string }): string {
  const [first = ''] = message.split('\n');
  if (first.length < 240 && !/…\(|(Array|Object) ?\(|mismatched$/.test(first)) return message;
  // A text that should be contained, or not, has no lines that differ.
  const difference = / (contain|include) /.test(first) ? '' : stripVTControlCharacters(diff);
  const lines = difference.match(/^[-+](?! Expected| Received).*$/gm);
  const short = lines
    ? lines.slice(0, 4).join(' ').replaceAll(/\s+/g, ' ')
    : first.replace(/^(.{100}).+(?=.{140}$)/, '$1…');
  return message.replace(first, () => short);
}

// "expected false to be true" leads to no fault without the statement that failed.
afterEach(({ task }) => {
  for (const error of task.result?.errors ?? []) {
    const stack = String(error.stack);
    const frames = [...stack.matchAll(/(\/[^():\n]+):(\d+):\d+\)?$/gm)]
      .map(([, path, line]) => ({ path: path!, line: Number(line) }))
      .filter(({ path }) => existsSync(path) && !path.includes('/node_modules/'));
    const frame = frames.find(({ path }) => path === task.file.filepath) ?? frames[0];
    if (!frame) continue;
    const message = `${statementAt(frame.path, frame.line)}: ${shorten(error)}`;
    error.stack = stack.replace(error.message, () => message);
    error.message = message;
  }
});
