import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = 'conformance/examples';
const readme = readFileSync(join(folder, 'README.md'), 'utf8');
const examples = readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory());

test.each(examples.map(({ name }) => name))(
  'the example %s has less than 200 lines, about as many as the README says',
  (name) => {
    const files = globSync('**/*.{go,mjs,py}', { cwd: join(folder, name) });
    const texts = files.map((file) => readFileSync(join(folder, name, file), 'utf8'));
    const lines = texts.join('').split('\n').length - 1;
    expect(lines).toBeLessThan(200);
    const [, inReadme] = new RegExp(`^\\| \\[${name}\\].*? \\| (\\d+) \\|`, 'm').exec(readme) ?? [];
    expect(Math.abs(Number(inReadme) - lines)).toBeLessThan(10);
  },
);
