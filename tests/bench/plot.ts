import type { Grown, Measured } from './server.ts';

// Read on white paper and on a dark page: a light ground of its own, and two colours that differ in lightness too.
const colours: Record<string, string> = { SQLite: '#1b6ca8', PostgreSQL: '#e08a1e' };
const [width, height, left, top] = [900, 720, 60, 50];

/** Two pictures, one above the other: the ratio of each call to a bare server, and the cost of a list by its length. */
export function plot(measured: Measured[], grown: Grown[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13" fill="#222">
<rect width="${width}" height="${height}" fill="#fff"/>
${legend()}
<g transform="translate(${left} ${top})">${ratios(measured)}</g>
<g transform="translate(${left} ${top + 320})">${growth(grown)}</g>
</svg>
`;
}

function legend(): string {
  return Object.entries(colours)
    .map(
      ([store, colour], i) =>
        `<rect x="${width - 240 + i * 100}" y="14" width="12" height="12" fill="${colour}"/>` +
        say(width - 222 + i * 100, 25, store),
    )
    .join('');
}

/** Bars from 0 to 1, which is the bare server. */
function ratios(measured: Measured[]): string {
  const [start, length, row] = [330, 440, 46];
  const x = (ratio: number) => start + Math.min(ratio, 1.05) * length;
  const grid = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
    (at) =>
      rule(x(at), 10, x(at), 10 + measured.length * row) +
      say(x(at), 24 + measured.length * row, `${at}`, 'middle'),
  );
  const bars = measured.flatMap(({ name, stores }, i) => [
    say(start - 8, 36 + i * row, name.replace(' that were not', ', not'), 'end'),
    ...Object.entries(stores).map(([store, { ratio }], j) => {
      const y = 16 + i * row + j * 17;
      return (
        `<rect x="${start}" y="${y}" width="${x(ratio) - start}" height="15" fill="${colours[store]}"/>` +
        say(x(ratio) + 5, y + 12, ratio.toFixed(2))
      );
    }),
  ]);
  return (
    say(0, 0, 'Answers a second, as a ratio to a bare node:http server that sends the same bytes') +
    [...grid, ...bars].join('')
  );
}

/** Both axes in powers of ten. */
function growth(grown: Grown[]): string {
  const [wide, high] = [760, 240];
  const times = grown.flatMap(({ firstByte, lastByte }) => [firstByte, lastByte]);
  const [low, most] = [
    Math.floor(Math.log10(Math.min(...times))),
    Math.ceil(Math.log10(Math.max(...times))),
  ];
  const x = (length: number) => ((Math.log10(length) - 1) / 4) * wide;
  const y = (time: number) => 20 + high - ((Math.log10(time) - low) / (most - low)) * high;
  const powers = Array.from({ length: most - low + 1 }, (_, i) => 10 ** (low + i));
  const grid = [
    ...powers.map(
      (time) => rule(0, y(time), wide, y(time)) + say(-6, y(time) + 4, `${time}`, 'end'),
    ),
    ...[10, 100, 1_000, 10_000, 100_000].map((length) =>
      say(x(length), high + 38, length.toLocaleString('en'), 'middle'),
    ),
  ];
  const lines = Object.entries(colours).flatMap(([store, colour]) =>
    (['firstByte', 'lastByte'] as const).map((what) => {
      const points = grown
        .filter((one) => one.store === store)
        .map((one) => `${x(one.length).toFixed(1)},${y(one[what]).toFixed(1)}`);
      const dashes = what === 'firstByte' ? ' stroke-dasharray="5 4"' : '';
      return `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2.5"${dashes}/>`;
    }),
  );
  const title =
    'Milliseconds to the first byte (dashed) and to the last byte (solid) of a list, by the number of projects';
  return say(0, 0, title) + [...grid, ...lines].join('');
}

function say(x: number, y: number, text: string, anchor = 'start'): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${text}</text>\n`;
}

function rule(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="#ddd"/>`;
}
