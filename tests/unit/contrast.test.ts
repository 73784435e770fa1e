import { expect, test } from 'vitest';
import { dark, light } from '../../src/styles/themes.ts';

/** Minimum ratios of WCAG 2.2: 1.4.3 for text, 1.4.11 for controls, their states and the focus. */
const text = 4.5;
const nonText = 3;

type Colour = keyof typeof light;

/** Colours that are next to or on top of each other, their minimum contrast, and where. */
const pairs: [foreground: Colour, background: Colour, minRatio: number, use: string][] = [
  ['text', 'canvas', text, 'headings, labels and titles'],
  ['text', 'surface', text, 'typed text, and the links of the header'],
  ['textMuted', 'canvas', text, 'subtitles, descriptions, notes and the footer'],
  ['textMuted', 'surface', text, 'the placeholder of an empty field'],
  ['accent', 'canvas', text, 'a link in the text, and "Show the new project"'],
  ['accent', 'surface', text, 'the link of the current screen, and "Sign up"'],
  ['onAccent', 'accent', text, 'a button, and its progress indicator'],
  ['onAccent', 'accentStrong', text, 'a hovered button'],
  ['critical', 'canvas', text, 'the error below a field'],
  ['onCriticalFill', 'criticalFill', text, 'the banner'],
  ['control', 'canvas', nonText, 'the outside of a field border'],
  ['control', 'surface', nonText, 'the inside of a field border'],
  ['critical', 'canvas', nonText, 'the border of an invalid field, and the edge of the banner'],
  ['critical', 'surface', nonText, 'the inside of the border of an invalid field'],
  ['accent', 'canvas', nonText, 'the decorative line, its stops, and the focus ring'],
  [
    'accent',
    'surface',
    nonText,
    'the focus ring in the header, and the mark of the current screen',
  ],
  ['accentStrong', 'canvas', nonText, 'the edge of a hovered button'],
  ['text', 'canvas', nonText, 'the progress indicator of the list'],
];

/** Colours of decoration, which needs no contrast. */
const decoration: Colour[] = ['line'];

test.each(
  Object.entries({ light, dark }).flatMap(([theme, colours]) =>
    pairs.map(([foreground, background, minRatio, use]) => ({
      name: `${theme}: ${foreground} on ${background} has at least ${minRatio} to 1, for ${use}`,
      ratio: contrast(colours[foreground], colours[background]),
      minRatio,
    })),
  ),
)('$name', ({ ratio, minRatio }) => {
  expect(ratio).toBeGreaterThanOrEqual(minRatio);
});

test('every colour is in a pair or decorative', () => {
  const listed = new Set([
    ...pairs.flatMap(([foreground, background]) => [foreground, background]),
    ...decoration,
  ]);
  expect(Object.keys(light).filter((colour) => !listed.has(colour as Colour))).toEqual([]);
});

/** Returns a ratio from 1 to 21. */
function contrast(first: string, second: string): number {
  const [lighter = 0, darker = 0] = [luminance(first), luminance(second)].toSorted((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
