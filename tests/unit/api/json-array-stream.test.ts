import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { decodeProjects } from '../../../src/api/decode.ts';
import { createJsonArrayStream } from '../../../src/api/json-array-stream.ts';
import { storedProject } from '../../../testing/projects.ts';

type Item = Record<string, unknown>;
const isItem = (value: unknown): value is Item => typeof value === 'object' && value !== null;

function parse(chunks: string[]): Item[] {
  const stream = createJsonArrayStream(isItem);
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  return stream.items;
}

const items = fc.array(
  fc.record({
    id: fc.oneof(fc.string(), fc.integer()),
    // Characters that could be mistaken for the end of an item.
    text: fc.stringMatching(/^[}{\][,":\\ a]{0,12}$/),
    more: fc.oneof(fc.jsonValue(), fc.constant({ nested: [{ deep: '}' }] })),
  }),
);

test('a list parses to the same items however it is split into chunks [LIST-3]', () => {
  fc.assert(
    fc.property(items, fc.boolean(), fc.array(fc.nat(40)), (list, isIndented, sizes) => {
      const text = JSON.stringify(list, null, isIndented ? 2 : 0);
      const chunks: string[] = [];
      let start = 0;
      for (const size of sizes) chunks.push(text.slice(start, (start += size)));
      expect(parse([...chunks, text.slice(start)])).toEqual(JSON.parse(text));
    }),
  );
});

test.each([
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
])('"%s", which is no list, is rejected however it is split into chunks [LIST-3]', (text) => {
  for (let size = 1; size <= Math.max(1, text.length); size += 1) {
    const chunks = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [text];
    expect(() => parse(chunks), `chunks of ${size}`).toThrow(/JSON|not a list/);
  }
});

test('an item is available as soon as it has arrived [LIST-3]', () => {
  const stream = createJsonArrayStream(isItem);
  stream.write('[{"id":1},{"id":');
  expect(stream.items).toEqual([{ id: 1 }]);
  stream.write('2}');
  expect(stream.items).toEqual([{ id: 1 }, { id: 2 }]);
  stream.write(']');
  stream.end();
  expect(stream.items).toHaveLength(2);
});

test('an item is available while the next one is incomplete and contains two braces [LIST-3]', () => {
  const stream = createJsonArrayStream(isItem);
  stream.write('[{"id":1},{"text":"}}');
  expect(stream.items).toEqual([{ id: 1 }]);
});

test('an item after one of several chunks is available as soon as it has arrived [LIST-3]', () => {
  const stream = createJsonArrayStream(isItem);
  const text = 'x'.repeat(100);
  stream.write(`[{"text":"${text}`);
  stream.write(`${text}${text}"}`);
  expect(stream.items).toHaveLength(1);
  stream.write(',{"id":2}');
  expect(stream.items).toHaveLength(2);
});

// Three attempts each time the length has doubled.
test.each([
  ['text', 0],
  ['}}}}', 30],
])('an item of 1000 chunks "%s" makes %i attempts to parse it', (chunk, attempts) => {
  const stream = createJsonArrayStream(isItem);
  stream.write('[{"id":1}');
  using parseJson = vi.spyOn(JSON, 'parse');
  for (let count = 0; count < 1000; count += 1) stream.write(chunk);
  expect(parseJson).toHaveBeenCalledTimes(attempts);
});

test('a streamed list is reported at its first row and each time it has doubled [CHOICE-51]', async () => {
  async function* chunks() {
    yield '[';
    for (let id = 1; id <= 20; id++)
      yield `${id === 1 ? '' : ','}${JSON.stringify(storedProject({ id }))}`;
    yield ']';
  }
  const reports: unknown[][] = [];
  const projects = await decodeProjects(chunks(), (rows) => reports.push(rows));
  expect(reports.map((rows) => rows.length)).toEqual([1, 2, 4, 8, 16]);
  expect(projects.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
});
