import { expect, test } from 'vitest';
import { dark, light } from '../../../src/styles/themes.ts';

/** WCAG 2.2: 1.4.3 asks this of text, 1.4.11 of what tells a control, its state or the focus apart from what is beside it. */
const text = 4.5;
const shape = 3;

type Colour = keyof typeof light;

/** Each two colours that stand on or beside each other, what for, and how far apart they must be. */
const pairs: [on: Colour, below: Colour, ratio: number, what: string][] = [
  ['text', 'canvas', text, 'headings, labels and titles'],
  ['text', 'surface', text, 'what is typed, and the links of the header'],
  ['textMuted', 'canvas', text, 'subtitles, descriptions, notes and the footer'],
  ['textMuted', 'surface', text, 'the suggestion in an empty field'],
  ['accent', 'canvas', text, 'a link in the text, and "Show the new project"'],
  ['accent', 'surface', text, 'the link of the screen that is shown, and "Sign up"'],
  ['onAccent', 'accent', text, 'a button, and the train in it'],
  ['onAccent', 'accentStrong', text, 'a button under the pointer'],
  ['critical', 'canvas', text, 'the error below a field'],
  ['onCriticalFill', 'criticalFill', text, 'the banner'],
  ['control', 'canvas', shape, 'the border of a field, seen from outside'],
  ['control', 'surface', shape, 'the border of a field, seen from inside'],
  ['critical', 'canvas', shape, 'the border of a field in error, and the shape of the banner'],
  ['critical', 'surface', shape, 'the border of a field in error, seen from inside'],
  ['accent', 'canvas', shape, 'the track, its stops, and the ring around what has the focus'],
  ['accent', 'surface', shape, 'the ring in the header, and the stop of the screen that is shown'],
  ['accentStrong', 'canvas', shape, 'the shape of a button under the pointer'],
  ['text', 'canvas', shape, 'the train beside the list'],
];

/** Only divides, and tells nothing. */
const decoration: Colour[] = ['line'];

const themes = { light, dark };

const each = Object.entries(themes).flatMap(([theme, colours]) =>
  pairs.map(([on, below, ratio, what]) => ({
    name: `${theme}: ${on} on ${below} is at least ${ratio} to 1, for ${what}`,
    colours: [colours[on], colours[below]] as const,
    ratio,
  })),
);

test.each(each.map(({ name, ...pair }) => [name, pair] as const))(
  '%s',
  (_, { colours: [on, below], ratio }) => {
    expect(contrast(on, below)).toBeGreaterThanOrEqual(ratio);
  },
);

test('every colour is in one of the pairs, or only divides', () => {
  const held = new Set([...pairs.flatMap(([on, below]) => [on, below]), ...decoration]);
  expect(Object.keys(light).filter((colour) => !held.has(colour as Colour))).toEqual([]);
});

test('contrast is reckoned as WCAG has it', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.478, 3);
});

/** From 1 to 21. */
function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
