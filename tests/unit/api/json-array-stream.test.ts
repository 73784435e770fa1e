import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readProjects } from '../../../src/api/decode.ts';
import { createJsonArrayStream } from '../../../src/api/json-array-stream.ts';

type Item = Record<string, unknown>;
const isItem = (value: unknown): value is Item => typeof value === 'object' && value !== null;

/** Reads a text that arrives in such pieces. */
function read(pieces: string[]): Item[] {
  const reader = createJsonArrayStream(isItem);
  for (const piece of pieces) reader.add(piece);
  reader.end();
  return reader.items;
}

const items = fc.array(
  fc.record({
    id: fc.oneof(fc.string(), fc.integer()),
    // Whatever looks like the end of an item, and is none.
    title: fc.stringMatching(/^[}{\][,":\\ a]{0,12}$/),
    more: fc.oneof(fc.jsonValue(), fc.constant({ nested: [{ deep: '}' }] })),
  }),
);

test('[LIST-3] a list reads the same, in whatever pieces it arrives', () => {
  fc.assert(
    fc.property(items, fc.boolean(), fc.array(fc.nat(40)), (list, spaced, sizes) => {
      const text = JSON.stringify(list, null, spaced ? 2 : 0);
      const pieces: string[] = [];
      let from = 0;
      for (const size of sizes) pieces.push(text.slice(from, (from += size)));
      expect(read([...pieces, text.slice(from)])).toEqual(JSON.parse(text));
    }),
  );
});

test('[LIST-3] a text that is no list is refused, in whatever pieces it arrives', () => {
  const wrong = [
    '',
    ' ',
    '{}',
    '"[]"',
    'null',
    '[',
    '[{"id":1}',
    '[{"id":1},]',
    '[{"id":1} {"id":2}]',
    '[{"id":1},,{"id":2}]',
    '[,{"id":1}]',
    '[{"id":1}]]',
    '[{"id":1}][{"id":2}]',
    '[{"id":1}] more',
    '[{"id":1},5]',
    '[5,{"id":1}]',
    '[null]',
    '{"projects":[{"id":1}]}',
    '<!doctype html>',
  ];
  for (const text of wrong) {
    for (let size = 1; size <= text.length; size += 1) {
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [text];
      expect(() => read(pieces), `${text} in pieces of ${size}`).toThrow(/JSON|not a list/);
    }
  }
});

test('[LIST-3] an item is there as soon as it has arrived', () => {
  const reader = createJsonArrayStream(isItem);
  reader.add('[{"id":1},{"id":');
  expect(reader.items).toEqual([{ id: 1 }]);
  reader.add('2}');
  expect(reader.items).toEqual([{ id: 1 }, { id: 2 }]);
  reader.add(']');
  reader.end();
  expect(reader.items).toHaveLength(2);
});

test('[LIST-3] an item is there although the next one, which is not, has two of what ends an item in its text', () => {
  const reader = createJsonArrayStream(isItem);
  reader.add('[{"id":1},{"title":"}}');
  expect(reader.items).toEqual([{ id: 1 }]);
});

test('[LIST-3] after an item that came in several pieces the next one is there as soon as it has arrived', () => {
  const reader = createJsonArrayStream(isItem);
  const title = 'x'.repeat(100);
  reader.add(`[{"title":"${title}`);
  reader.add(`${title}${title}"}`);
  expect(reader.items).toHaveLength(1);
  reader.add(',{"id":2}');
  expect(reader.items).toHaveLength(2);
});

test('[CHOICE-51] of a list that arrives one is told of the first projects at once, and then whenever they have doubled', async () => {
  const row = (id: number) => JSON.stringify({ id, title: 'T', description: 'D' });
  async function* pieces() {
    yield '[';
    for (let id = 1; id <= 20; id++) yield `${id === 1 ? '' : ','}${row(id)}`;
    yield ']';
  }
  const told: number[] = [];
  const all = await readProjects(pieces(), (rows) => told.push(rows.length));
  expect(told).toEqual([1, 2, 4, 8, 16]);
  expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
});
