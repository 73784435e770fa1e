/** Pictures for docs/: read on white paper and on a dark page, so on a light ground of their own. */

/** A line through points: what was measured, by the length of a list. */
export type Series = {
  colour: string;
  dashed?: boolean;
  points: [length: number, value: number][];
};

type Plot = { height: number; drawn: string };

/** Bars that belong together, under one name. */
export type Bars = { name: string; bars: { colour: string; value: number; text: string }[] };

const [width, left, top] = [900, 60, 50];
/** What a group of bars is away from the next, besides its bars, and how high curves are. */
const [gap, bar, high] = [12, 17, 240];

/** What the colours mean, bars below it, and curves below those. */
export function picture(legend: Record<string, string>, upper: Plot, lower: Plot): string {
  const height = top + upper.height + lower.height;
  const names = Object.entries(legend).toReversed();
  const said = names.map(
    ([name, colour], i) =>
      `<rect x="${width - 160 - i * 150}" y="14" width="12" height="12" fill="${colour}"/>` +
      say(width - 142 - i * 150, 25, name),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13" fill="#222">
<rect width="${width}" height="${height}" fill="#fff"/>
${said.join('')}
<g transform="translate(${left} ${top})">${upper.drawn}</g>
<g transform="translate(${left} ${top + upper.height})">${lower.drawn}</g>
</svg>
`;
}

/** Bars from 0 to 1, and what goes beyond cut off. */
export function bars(title: string, groups: Bars[]): Plot {
  const [start, length] = [330, 440];
  const row = gap + bar * Math.max(...groups.map((group) => group.bars.length));
  const x = (value: number) => start + Math.min(value, 1.05) * length;
  const grid = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
    (at) =>
      rule(x(at), 10, x(at), 10 + groups.length * row) +
      say(x(at), 24 + groups.length * row, `${at}`, 'middle'),
  );
  const drawn = groups.flatMap(({ name, bars: ofGroup }, i) => [
    say(start - 8, 14 + row / 2 + i * row, name, 'end'),
    ...ofGroup.map(({ colour, value, text }, j) => {
      const y = 10 + gap / 2 + i * row + j * bar;
      return (
        `<rect x="${start}" y="${y}" width="${x(value) - start}" height="15" fill="${colour}"/>` +
        say(x(value) + 5, y + 12, text)
      );
    }),
  ]);
  return {
    height: groups.length * row + 80,
    drawn: say(0, 0, title) + [...grid, ...drawn].join(''),
  };
}

/** Both axes in powers of ten. */
export function curves(title: string, series: Series[]): Plot {
  const wide = 760;
  const points = series.flatMap((one) => one.points);
  const [first, last] = range(points.map(([length]) => length));
  const [low, most] = range(points.map(([, value]) => value));
  const x = (length: number) => ((Math.log10(length) - first) / (last - first)) * wide;
  const y = (value: number) => 20 + high - ((Math.log10(value) - low) / (most - low)) * high;
  const grid = [
    ...powers(low, most).map(
      (value) => rule(0, y(value), wide, y(value)) + say(-6, y(value) + 4, `${value}`, 'end'),
    ),
    ...powers(first, last).map((length) =>
      say(x(length), high + 38, length.toLocaleString('en'), 'middle'),
    ),
  ];
  const lines = series.map(({ colour, dashed, points: ofOne }) => {
    const drawn = ofOne.map(([length, value]) => `${x(length).toFixed(1)},${y(value).toFixed(1)}`);
    const dashes = dashed ? ' stroke-dasharray="5 4"' : '';
    return `<polyline points="${drawn.join(' ')}" fill="none" stroke="${colour}" stroke-width="2.5"${dashes}/>`;
  });
  return { height: high + 60, drawn: say(0, 0, title) + [...grid, ...lines].join('') };
}

/** The powers of ten that all of these are between. */
function range(values: number[]): [low: number, high: number] {
  return [
    Math.floor(Math.log10(Math.min(...values))),
    Math.ceil(Math.log10(Math.max(...values)) - 1e-9),
  ];
}

const powers = (low: number, most: number) =>
  Array.from({ length: most - low + 1 }, (_, i) => 10 ** (low + i));

function say(x: number, y: number, text: string, anchor = 'start'): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${text}</text>\n`;
}

function rule(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="#ddd"/>`;
}
