import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../../tools/run.ts';

const folder = `${root}docs/decisions/`;
const index = readFileSync(`${folder}README.md`, 'utf8');
const records = readdirSync(folder).filter((file) => file !== 'README.md');
const merged = Array.from(index.matchAll(/^\| \d{4} \| (.+) \|$/gm), ([, numbers]) => numbers);

test.each(records)('%s has its own number, a date, a status and a line in the list', (file) => {
  const number = file.slice(0, 4);
  const text = readFileSync(folder + file, 'utf8');
  const head = text.match(/^# (\d{4} .+)\n\nDate: \d{4}-\d\d-\d\d\n\nStatus: (.+)\n/);
  const [, title = 'no title, date and status', status] = head ?? [];
  expect(index).toContain(`- [${title}](${file})\n`);
  expect(title).toContain(number);
  expect(merged.join(', ')).not.toContain(number);
  const successors = records.map((record) => `superseded by ${record.slice(0, 4)}`);
  expect(['accepted', ...successors]).toContain(status);
});
