import {
  labelOf,
  maxLengthOf,
  minLengthOf,
  textInFields,
  textNames,
  type TextName,
  type Texts,
} from '../http/project-texts.ts';
import { plural } from '../problems/describe.ts';
import type { Level } from './check.ts';

export type Text = Partial<Texts>;

/** A row of texts. Each goes into every field that allows it. */
const textRow = (id: string, title: string, texts: string[], level: Level = 'MUST') => ({
  id,
  level,
  title,
  projects: texts.map(textInFields),
});

/** A row of texts of so many characters. Each goes into one field. */
const lengthRow = (
  id: string,
  lengthOf: (name: TextName) => number,
  ...textsOf: ((length: number) => string)[]
) => {
  const lengths = textNames.map(
    (name) => `${labelOf(name)} of ${plural(lengthOf(name), 'character')}`,
  );
  return {
    id,
    level: 'MUST' as Level,
    title: `Text of this length is preserved, or rejected with a message: ${lengths.join(', ')}`,
    projects: textNames.flatMap((name) =>
      textsOf.map((textOf): Partial<Texts> => ({ [name]: textOf(lengthOf(name)) })),
    ),
  };
};

/** Letters of three bytes each, of which a limit in bytes allows a third. */
const wideText = (length: number) => '字'.repeat(length);

const atMost = (length: number) => (name: TextName) => Math.min(length, maxLengthOf(name));

export const textRows = [
  textRow('TEXT-1', 'Markup is preserved', [
    '<b>Bold</b> & "quoted" \'plan\' &amp; <script>alert(1)</script>',
    '<p>1 < 2 && 3 > 2</p> &lt;not a tag&gt; <!-- no comment --> </textarea>',
  ]),
  textRow('TEXT-2', 'Emoji and rare characters are preserved', [
    'Launch 🚀 family 👩‍👩‍👧‍👦 flag 🇪🇺 𝒳 𠮷',
    '🗝️ ‰ € ™ ½ ≠ — “quoted” … 🏳️‍🌈',
  ]),
  textRow('TEXT-3', 'All scripts are preserved, right-to-left ones included', [
    'مشروع جديد · פרויקט חדש · Ünïcödé ß Ł ő',
    wideText(100),
    'プロジェクト · 项目 · проект · έργο · परियोजना \u200Fשלום (abc) עולם\u200E',
  ]),
  textRow('TEXT-4', 'Line breaks are preserved', [
    'First line\nSecond line\n\nAfter an empty one\n indented\u2028separate',
  ]),
  textRow('TEXT-17', 'Spaces, indents and tabs within a text are preserved', [
    'Two  spaces and   three',
    'An indent\n    of four\tand a tab',
  ]),
  lengthRow('TEXT-6', atMost(300), longText, wideText, (length) => 'x'.repeat(length)),
  lengthRow('TEXT-13', atMost(1000), longText),
  // Longer than what servers read at once. The end of that is within a character of one of them.
  lengthRow(
    'TEXT-18',
    atMost(4000),
    wideText,
    (length) => '🚀'.repeat(length),
    (length) => `x${'🚀'.repeat(length - 1)}`,
  ),
  lengthRow('TEXT-5', atMost(10_000), longText),
  lengthRow('TEXT-11', maxLengthOf, longText, wideText),
  textRow(
    'TEXT-7',
    'Text that looks like a number, a boolean, null, JSON or a name in code stays text',
    '0 false null 007 true 1e3 2026-02-30 2026-03-01T10:00:00Z [] {"title":"x"} constructor __proto__'.split(
      ' ',
    ),
  ),
  lengthRow(
    'TEXT-12',
    minLengthOf,
    ...['x', '-', 'é', '漢', '🚀'].map((each) => (length: number) => each.repeat(length)),
  ),
  textRow('TEXT-8', 'Special characters of code and databases are preserved', [
    "Robert'); DROP TABLE projects;-- \\ \\n %s ${x} {{x}} %00 ../ ~a",
    'C:\\new\\table "quoted" \'single\' `ticks` $1 $& $$ ? :name @x #{y} null NaN',
    '1 + 1 = 2, 100%25 & _more_ *of* it',
    'See https://example.org/?a=1+2&b=%2B#top, **soon** :-) [x](y) @ada #12',
    '=SUM(A1:A2)',
    '# A heading - a list',
    'if (a) { b = [ <c',
  ]),
  textRow(
    'TEXT-9',
    'Outer spaces and control characters are preserved',
    [
      '  between blanks  ',
      'A slide\vand a page\fof text, a bell\u0007 and an escape\u001b',
      '\tindented by a tab\r\nand a line break of Windows\r\n  ',
      ' \n\n\t\n',
    ],
    'SHOULD',
  ),
  textRow(
    'TEXT-10',
    'Unicode is not normalized',
    ['Cafe\u0301 and Café, Å and Å', 'ﬁne ① ｆｕｌｌ width\u00a0and\u200bnone'],
    'SHOULD',
  ),
];

function longText(length: number): string {
  return `${'A long text, and more of it: '.repeat(length / 29 + 1).slice(0, length - 1)}!`;
}

export const mapTexts = (text: Text, change: (each: string) => string): Text =>
  Object.fromEntries(Object.entries(text).map(([name, each]) => [name, change(each)]));

export const lettersOf = (text: Text, minLength = 0) =>
  mapTexts(text, (each) => each.replaceAll(/[^ ]/g, 'x').padEnd(minLength, 'x'));

/** Returns a text of so many bytes in the field that may have most. */
export function asciiOf(bytes: number): Text {
  const [name] = textNames.toSorted((a, b) => maxLengthOf(b) - maxLengthOf(a));
  return { [name!]: 'x'.repeat(Math.min(bytes, maxLengthOf(name!))) };
}

/** Texts that the contract forbids, because many databases and encoders cannot store them. */
export const brokenTexts: Record<string, Text> = Object.fromEntries(
  textNames.flatMap((name) => [
    [`A NUL character in the ${labelOf(name)}`, { [name]: 'In\0the text' }],
    [`Half a surrogate pair in the ${labelOf(name)}`, { [name]: 'Here \ud83d it is' }],
  ]),
);
