import type { Level } from './check.ts';

export type Text = [title: string, description: string];

const inBoth = (...bothTexts: string[]): Text[] => bothTexts.map((text) => [text, text]);

const textRow = (id: string, title: string, projects: Text[], level: Level = 'MUST') => ({
  id,
  level,
  title,
  projects,
});

/** Projects whose texts a backend has to keep. */
export const textRows = [
  textRow('TEXT-1', 'Markup is preserved', [
    [
      '<b>Bold</b> & "quoted" \'plan\' &amp; <script>alert(1)</script>',
      '<p>1 < 2 && 3 > 2</p> &lt;not a tag&gt; <!-- no comment --> </textarea>',
    ],
  ]),
  textRow('TEXT-2', 'Emoji and rare characters are preserved', [
    ['Launch 🚀 family 👩‍👩‍👧‍👦 flag 🇪🇺 𝒳 𠮷', '🗝️ ‰ € ™ ½ ≠ — “quoted” … 🏳️‍🌈'],
  ]),
  textRow('TEXT-3', 'All scripts are preserved, right-to-left ones included', [
    [
      'مشروع جديد · פרויקט חדש · Ünïcödé ß Ł ő',
      'プロジェクト · 项目 · проект · έργο · परियोजना \u200Fשלום (abc) עולם\u200E',
    ],
  ]),
  textRow('TEXT-4', 'Line breaks are preserved', [
    ['With lines', 'First line\nSecond line\n\nAfter an empty one\n indented\u2028separate'],
  ]),
  textRow(
    'TEXT-17',
    'Spaces, indents and tabs within a text are preserved',
    inBoth('Two  spaces and   three', 'An indent\n    of four\tand a tab'),
  ),
  textRow('TEXT-5', 'A description of 10 kB is preserved', [
    ['With a long description', `${'All work and no play. '.repeat(465)}The end.`],
  ]),
  textRow('TEXT-6', 'A title of 300 characters is preserved', [
    [longText(300), 'Its title has 300 characters.'],
    [`${'x'.repeat(300)}.`, 'Its title is one word.'],
  ]),
  textRow(
    'TEXT-7',
    'Text that looks like a number, a boolean, null, JSON or a name in code stays text',
    inBoth(
      ...'0 false null 007 true 1e3 2026-02-30 [] {"title":"x"} constructor __proto__'.split(' '),
    ),
  ),
  textRow('TEXT-12', 'Text of one character is preserved', inBoth('x', '-', 'é', '漢', '🚀')),
  textRow(
    'TEXT-8',
    'Special characters of code and databases are preserved',
    inBoth(
      "Robert'); DROP TABLE projects;-- \\ \\n %s ${x} {{x}} %00 ../",
      'C:\\new\\table "quoted" \'single\' `ticks` $1 $& $$ ? :name @x #{y} null NaN',
      '1 + 1 = 2, 100%25 & _more_ *of* it',
      'See https://example.org/?a=1+2&b=%2B#top, **soon** :-) [x](y) @ada #12',
      '=SUM(A1:A2)',
      '# A heading - a list',
    ),
  ),
  textRow(
    'TEXT-9',
    'Outer spaces, tabs and Windows line breaks are preserved',
    [
      ['  between blanks  ', '\tindented by a tab\r\nand a line break of Windows\r\n  '],
      ['Only white space', ' \n\n\t\n'],
    ],
    'SHOULD',
  ),
  textRow(
    'TEXT-10',
    'Unicode is not normalized',
    [['Cafe\u0301 and Café, Å and Å', 'ﬁne ① ｆｕｌｌ width\u00a0and\u200bnone']],
    'SHOULD',
  ),
  textRow(
    'TEXT-11',
    'A description of 100,000 characters is preserved, or rejected with a message',
    [['With a very long description', longText(100_000)]],
  ),
  textRow(
    'TEXT-13',
    'Titles of 1,000 and 10,000 characters are preserved, or rejected with a message',
    [
      [longText(1000), 'Its title has 1,000 characters.'],
      [longText(10_000), 'Its title has 10,000 characters.'],
    ],
  ),
];

function longText(length: number): string {
  return `${'A long text, and more of it: '.repeat(length / 29 + 1).slice(0, length - 1)}!`;
}
