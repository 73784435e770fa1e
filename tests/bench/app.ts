/**
 * `npm run bench`: what the built app weighs, screen by screen, and how its screen of projects bears lists of 1,000 to 100,000.
 * Needs `npm run build` first. Writes docs/app-speed.md and docs/app-speed.svg. Only figures of one run can be compared with each other, which is
 * why the lengths take turns.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import type { Browser } from 'playwright-core';
import { budgetBytes, bundleSizes } from '../../tools/bundle-size.ts';
import { launchBrowser } from '../../conformance/ui/chromium.ts';
import { circumstances, median, table } from './report.ts';
import { bars, curves, picture } from './plot.ts';

const rounds = 5;
const lengths = [1_000, 3_000, 10_000, 30_000, 100_000];

/** In milliseconds where nothing else is said. */
type Figures = {
  /** From the start of the load to the frame with the first project. */
  firstRow: number;
  /** To the frame in which the list is no longer on its way. */
  complete: number;
  /** From the click to the frame that says that the project was created. */
  create: number;
  /** From the click on "Show the new project" to the frame that shows it. */
  reveal: number;
  /** Frames that were not drawn while the whole list was scrolled through in 1.5 seconds, of a hundred. */
  dropped: number;
  /** Megabytes, after the garbage was collected. */
  heap: number;
  elements: number;
};

const dist = new URL('../../dist/', import.meta.url);
if (!existsSync(new URL('./index.html', dist))) {
  console.error('There is no built app in dist/: run "npm run build" first.');
  process.exit(1);
}

let length = 0;
const lists = new Map<number, string>();
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname.startsWith('/api/')) {
    response.setHeader('content-type', 'application/json');
    const isList = request.method === 'GET';
    response.statusCode = isList ? 200 : 201;
    response.end(isList ? listOf(length) : JSON.stringify(project(length + 1)));
    return;
  }
  const file = new URL(`.${pathname === '/' ? '/index.html' : pathname}`, dist);
  if (!existsSync(file)) {
    response.statusCode = 404;
    response.end();
    return;
  }
  const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' };
  response.setHeader('content-type', types[extname(file.pathname)] ?? 'application/octet-stream');
  response.end(readFileSync(file));
});
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const sizes = await bundleSizes();
const browser = await launchBrowser();
const measured = new Map(lengths.map((each) => [each, [] as Figures[]]));
for (let round = 0; round < rounds; round += 1) {
  for (const each of lengths) measured.get(each)?.push(await measure(browser, each));
  console.error(`round ${round + 1} of ${rounds}`);
}
await browser.close();
server.close();

const grown = lengths.map((each) => ({ length: each, ...middle(measured.get(each) ?? []) }));
const page = describe();
console.log(page);
const docs = new URL('../../docs/', import.meta.url);
writeFileSync(new URL('./app-speed.md', docs), page);
writeFileSync(new URL('./app-speed.svg', docs), plot());

function project(id: number) {
  return { id, title: `Project number ${id}`, description: `What there is to say about ${id}.` };
}

function listOf(count: number): string {
  const known = lists.get(count);
  if (known) return known;
  const made = JSON.stringify(Array.from({ length: count }, (_, i) => project(i + 1)));
  lists.set(count, made);
  return made;
}

/** One visitor with nothing in their cache. */
async function measure(of: Browser, count: number): Promise<Figures> {
  length = count;
  listOf(count);
  const context = await of.newContext({ viewport: { width: 1280, height: 800 } });
  const visited = await context.newPage();
  await visited.addInitScript(watch);
  await visited.goto(`${address}/#/projects`);
  await visited.waitForFunction(() => 'complete' in window.times);
  const client = await context.newCDPSession(visited);
  await client.send('HeapProfiler.collectGarbage');
  const { usedSize } = await client.send('Runtime.getHeapUsage');
  const elements = await visited.evaluate(() => document.querySelectorAll('*').length);

  await visited.getByLabel('Title').fill('The new one');
  await visited.getByLabel('Description').fill('At the end.');
  await press('Create Project');
  await press('Show the new project');
  const dropped = await visited.evaluate(sweep);
  const times = await visited.evaluate(() => window.times);
  await context.close();
  return {
    firstRow: times['firstRow'] ?? NaN,
    complete: times['complete'] ?? NaN,
    create: times['Create Project'] ?? NaN,
    reveal: times['Show the new project'] ?? NaN,
    dropped,
    heap: usedSize / 2 ** 20,
    elements,
  };

  /** How long it takes until what it does is seen is then under its name. */
  async function press(button: PressedName) {
    await visited.evaluate((name) => window.press(name), button);
    await visited.waitForFunction((name) => name in window.times, button);
  }
}

type PressedName = 'Create Project' | 'Show the new project';

declare global {
  interface Window {
    times: Record<string, number>;
    press: (name: PressedName) => void;
  }
}

/** Runs in the page before its own scripts. Notes when the first frame was drawn that shows something. */
function watch() {
  const isPressed: Record<PressedName, () => boolean> = {
    'Create Project': () => document.querySelector('section button') !== null,
    'Show the new project': () => {
      const last = [...document.querySelectorAll('main li')].at(-1);
      return (
        last?.getAttribute('aria-posinset') === last?.getAttribute('aria-setsize') &&
        (last?.getBoundingClientRect().top ?? Infinity) < innerHeight
      );
    },
  };
  const onceSeen = (name: string, isSeen: () => boolean, began = 0) => {
    const look = () => {
      if (!document.body || !isSeen()) {
        requestAnimationFrame(look);
        return;
      }
      // What is posted now is read when the frame was drawn.
      const channel = new MessageChannel();
      channel.port1.addEventListener('message', () => {
        window.times[name] = performance.now() - began;
      });
      channel.port1.start();
      channel.port2.postMessage('drawn');
    };
    requestAnimationFrame(look);
  };
  window.times = {};
  window.press = (name) => {
    const button = [...document.querySelectorAll('button')].find((one) => one.textContent === name);
    if (!button) throw new Error(`There is no button "${name}".`);
    onceSeen(name, isPressed[name], performance.now());
    button.click();
  };
  const hasRow = () => document.querySelector('main li') !== null;
  onceSeen('firstRow', hasRow);
  onceSeen(
    'complete',
    () => hasRow() && document.querySelector('main section')?.getAttribute('aria-busy') === 'false',
  );
}

/** Runs in the page. Scrolls from the top to the end in 1.5 seconds, and counts the frames that it had to do without. */
async function sweep(): Promise<number> {
  const frame = () => new Promise<number>((drawn) => requestAnimationFrame(drawn));
  scrollTo(0, 0);
  await frame();
  const whole = document.documentElement.scrollHeight - innerHeight;
  const began = await frame();
  let drawn = 0;
  for (let now = began; now < began + 1500; now = await frame()) {
    scrollTo(0, ((now - began) / 1500) * whole);
    drawn += 1;
  }
  return 100 * Math.max(0, 1 - drawn / 90);
}

function middle(all: Figures[]): Figures {
  const names = [
    'firstRow',
    'complete',
    'create',
    'reveal',
    'dropped',
    'heap',
    'elements',
  ] as const;
  const medians = names.map((name) => [name, median(all.map((one) => one[name]))]);
  return Object.fromEntries(medians) as Figures;
}

function plot(): string {
  const [plain, strong] = ['#1b6ca8', '#e08a1e'];
  const curve = (colour: string, name: keyof Figures, dashed = false) => ({
    colour,
    dashed,
    points: grown.map((one): [number, number] => [one.length, one[name]]),
  });
  return picture(
    { 'loading the list': plain, 'a new project': strong },
    bars(
      'Bytes that a new visitor is sent, compressed by brotli, as a share of the budget',
      Object.entries(sizes).map(([path, size]) => {
        const budget = budgetBytes[path as keyof typeof budgetBytes];
        const name = `${path}: ${size.toLocaleString('en')} of ${budget.toLocaleString('en')}`;
        const value = size / budget;
        return { name, bars: [{ colour: plain, value, text: value.toFixed(2) }] };
      }),
    ),
    curves(
      'Milliseconds, by the number of projects: first row (dashed), list complete; created (dashed), brought into view',
      [
        curve(plain, 'firstRow', true),
        curve(plain, 'complete'),
        curve(strong, 'create', true),
        curve(strong, 'reveal'),
      ],
    ),
  );
}

function describe(): string {
  return `# How fast the app is

Written by \`npm run bench\`. Each length is measured in ${rounds} rounds, in turn with the others, in a browser with nothing in its cache, at
1280 by 800 pixels, before a server that answers at once. Medians. The machine is shared with others, so compare the figures of
this page with each other and with no other page.

${circumstances()}

![What each screen weighs, and what lists of 1,000 to 100,000 projects cost](app-speed.svg)

## What a new visitor is sent

The page, its styles and the scripts of the screen, compressed by brotli; the icon is left out. More than the budget fails \`npm run check\`.

${table(
  ['screen', 'bytes', 'budget'],
  Object.entries(sizes).map(([path, size]) => [
    `\`${path}\``,
    size.toLocaleString('en'),
    budgetBytes[path as keyof typeof budgetBytes].toLocaleString('en'),
  ]),
)}

## What a long list costs

${table(
  [
    'projects',
    'first row (ms)',
    'complete (ms)',
    'create (ms)',
    'bring into view (ms)',
    'frames dropped in a sweep (%)',
    'heap (MB)',
    'elements',
  ],
  grown.map((one) => [
    one.length.toLocaleString('en'),
    one.firstRow.toFixed(0),
    one.complete.toFixed(0),
    one.create.toFixed(0),
    one.reveal.toFixed(0),
    one.dropped.toFixed(1),
    one.heap.toFixed(1),
    one.elements.toFixed(0),
  ]),
)}

*First row* and *complete* count from the start of the load, *create* from the click to the frame that says that the project was created,
*bring into view* from the click on "Show the new project" to the frame that shows it. In a *sweep* the whole list goes by in 1.5 seconds, as when
the bar is dragged; its 90 frames are one in 16.7 ms. The heap is what the list and the app take after the garbage was collected.
`;
}
