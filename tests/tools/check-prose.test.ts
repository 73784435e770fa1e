import { expect, test } from 'vitest';
import { problemsIn } from '../../tools/check-prose.ts';

const long = 'x'.repeat(101);

test.each(['whoever', 'whosoever', 'Whatever', 'somebody', 'NOBODY', 'anew'])(
  'reports the word "%s" in code and in prose, with its location',
  (word) => {
    expect(problemsIn('a.ts', `const a = 1;\n// Asks ${word} first.`)).toEqual([
      `a.ts:2: "${word}" names no actor`,
    ]);
    expect(problemsIn('a.test.ts', `test('${word} asks', f);`)).toHaveLength(1);
    expect(problemsIn('a.md', `| ${word} |`)).toHaveLength(1);
    expect(problemsIn('a.ts', `const ${word}s = 1;`)).toEqual([]);
  },
);

test.each([
  ['a.ts', `// ${long}`],
  ['a.ts', `/** ${long} */`],
  ['a.ts', ` * ${long}`],
  ['a.ts', `const a = 1; // ${long}`],
  ['a.py', `# ${long}`],
  ['a.sql', `-- ${long}`],
  ['a.yaml', `description: ${long}`],
  ['a.html', `<!-- ${long} -->`],
  ['a.md', long],
  ['a.md', `\`\`\`\ncode\n\`\`\`\n${long}`],
])('reports a line of prose over 100 columns: %s "%s"', (file, source) => {
  const line = source.split('\n').length;
  const columns = source.split('\n').at(-1)!.length;
  expect(problemsIn(file, source)).toEqual([`${file}:${line}: ${columns} columns, at most 100`]);
});

test.each([
  ['a.ts', `const a = '${long}';`],
  ['a.ts', `const url = 'https://example.org/${long}';`],
  ['a.ts', `// ${'x'.repeat(97)}`],
  ['a.md', `| ${long} |`],
  ['a.md', `> ${long}`],
  ['a.md', `[link]: ${long}`],
  ['a.md', `- [link](https://example.org/${long})`],
  ['a.md', `\`\`\`\n${long}\n\`\`\``],
])('accepts code, tables, quotes and lines of 100 columns: %s "%s"', (file, source) => {
  expect(problemsIn(file, source)).toEqual([]);
});
