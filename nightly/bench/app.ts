import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '../../tools/chromium.ts';
import { valuesOf } from '../../model/calls.ts';
import { fillForm } from '../../testing/page-driver.ts';
import { newProject } from '../../testing/projects.ts';
import { sendFile } from '../../testing/static-files.ts';
import { markdownTable } from '../../tools/diagram.ts';
import { medians } from '../../testing/median.ts';
import { startBenchmark } from './environment.ts';

const paragraph = startBenchmark(`Usage: npm run node -- nightly/bench/app.ts

Measures the speed of the projects screen in Chromium, with 1,000 to 100,000 projects. Writes
docs/app-speed.md. Run "npm run build" first, and leave the machine idle meanwhile.`);

/** Only figures of one run can be compared, so the list lengths take turns in each round. */
const rounds = 5;
const listLengths = [1_000, 10_000, 100_000];

type Figures = {
  /** From navigation to the frame with the first project. */
  firstRowMs: number;
  /** From navigation to the frame with the complete list. */
  completeMs: number;
  /** From the click to the frame that confirms the new project. */
  createMs: number;
  /** From the click on "Show the new project" to the frame with its row. */
  showMs: number;
  /** Share of frames dropped while the whole list scrolls by in 1.5 seconds. */
  droppedPercent: number;
  /** After garbage collection. */
  heapMb: number;
  elements: number;
};

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
if (!existsSync(`${dist}index.html`)) {
  console.error('There is no built app in dist/: run "npm run build" first.');
  process.exit(1);
}

let listLength = 0;
const lists = new Map(
  listLengths.map((length) => [
    length,
    JSON.stringify(Array.from({ length }, (_, i) => project(i + 1))),
  ]),
);
const server = createServer((request, response) => {
  const { method, url = '/' } = request;
  if (url.startsWith('/api/')) {
    const isList = method === 'GET';
    response.writeHead(isList ? 200 : 201, { 'content-type': 'application/json' });
    response.end(isList ? lists.get(listLength) : JSON.stringify(project(listLength + 1)));
  } else if (!sendFile(dist, url, response)) {
    response.writeHead(404).end();
  }
});
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const browser = await launchBrowser();
const measured = new Map(listLengths.map((length) => [length, [] as Figures[]]));
for (let round = 0; round < rounds; round += 1) {
  for (const length of listLengths) measured.get(length)?.push(await measure(length));
  console.error(`round ${round + 1} of ${rounds}`);
}
await browser.close();
server.close();

const page = describe();
console.log(page);
writeFileSync(new URL('../../docs/app-speed.md', import.meta.url), page);

function project(id: number) {
  return { id, ...newProject({}, id) };
}

/** Measures one visit with an empty cache. */
async function measure(length: number): Promise<Figures> {
  listLength = length;
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const visited = await context.newPage();
  await visited.addInitScript(measureFrames);
  await visited.goto(`${address}/#/projects`);
  await visited.waitForFunction(() => 'complete' in window.timesMs);
  const devTools = await context.newCDPSession(visited);
  await devTools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devTools.send('Runtime.getHeapUsage');
  const elements = await visited.evaluate(() => document.querySelectorAll('*').length);

  await fillForm(visited, 'createProject', valuesOf('createProject', newProject()));
  await press('Create Project');
  await press('Show the new project');
  const droppedPercent = await visited.evaluate(scrollThrough);
  const timesMs = await visited.evaluate(() => window.timesMs);
  await context.close();
  return {
    firstRowMs: timesMs['firstRow'] ?? NaN,
    completeMs: timesMs['complete'] ?? NaN,
    createMs: timesMs['Create Project'] ?? NaN,
    showMs: timesMs['Show the new project'] ?? NaN,
    droppedPercent,
    heapMb: usedSize / 2 ** 20,
    elements,
  };

  /** Waits until the effect of the click is visible. Its time is then in `timesMs`. */
  async function press(button: ButtonName) {
    await visited.evaluate((name) => window.press(name), button);
    await visited.waitForFunction((name) => name in window.timesMs, button);
  }
}

type ButtonName = 'Create Project' | 'Show the new project';

declare global {
  interface Window {
    timesMs: Record<string, number>;
    press: (name: ButtonName) => void;
  }
}

/** Runs in the page before its scripts. Records when a frame first shows something. */
function measureFrames() {
  const hasEffect: Record<ButtonName, () => boolean> = {
    'Create Project': () => document.querySelector('section button') !== null,
    'Show the new project': () => {
      const last = [...document.querySelectorAll('main li')].at(-1);
      return (
        last?.textContent.startsWith('The new one') === true &&
        (last?.getBoundingClientRect().top ?? Infinity) < innerHeight
      );
    },
  };
  const recordWhen = (name: string, isVisible: () => boolean, startMs = 0) => {
    const checkFrame = () => {
      if (!document.body || !isVisible()) {
        requestAnimationFrame(checkFrame);
        return;
      }
      // A message that is posted now arrives after the frame is painted.
      const channel = new MessageChannel();
      channel.port1.addEventListener('message', () => {
        window.timesMs[name] = performance.now() - startMs;
      });
      channel.port1.start();
      channel.port2.postMessage('painted');
    };
    requestAnimationFrame(checkFrame);
  };
  window.timesMs = {};
  window.press = (name) => {
    const button = [...document.querySelectorAll('button')].find(
      ({ textContent }) => textContent === name,
    );
    if (!button) throw new Error(`There is no button "${name}".`);
    recordWhen(name, hasEffect[name], performance.now());
    button.click();
  };
  const hasRow = () => document.querySelector('main li') !== null;
  recordWhen('firstRow', hasRow);
  recordWhen(
    'complete',
    () => hasRow() && document.querySelector('main section')?.getAttribute('aria-busy') === 'false',
  );
}

/** Runs in the page. Scrolls to the end in 1.5 s. Returns the percentage of dropped frames. */
async function scrollThrough(): Promise<number> {
  const nextFrame = () => new Promise<number>((painted) => requestAnimationFrame(painted));
  scrollTo(0, 0);
  await nextFrame();
  const height = document.documentElement.scrollHeight - innerHeight;
  const startMs = await nextFrame();
  let frames = 0;
  for (let nowMs = startMs; nowMs < startMs + 1500; nowMs = await nextFrame()) {
    scrollTo(0, ((nowMs - startMs) / 1500) * height);
    frames += 1;
  }
  return 100 * Math.max(0, 1 - frames / 90);
}

function describe(): string {
  const grouped = (number: number) => number.toLocaleString('en');
  return `# How fast the app is

${paragraph}

Written by \`nightly/bench/app.ts\`. The list lengths take turns in ${rounds} rounds. Each visit has an
empty cache, a viewport of 1280 by 800 pixels and a server that answers at once. Figures are
medians. Compare figures within this page only. \`npm run node -- tools/bundle-size.ts\` prints the
bytes of each screen.

${markdownTable(
  [
    'projects',
    'first row (ms)',
    'complete (ms)',
    'create (ms)',
    'show new project (ms)',
    'dropped frames (%)',
    'heap (MB)',
    'elements',
  ],
  listLengths.map((length) => {
    const figures = medians(measured.get(length) ?? []);
    return [
      grouped(length),
      figures.firstRowMs.toFixed(0),
      figures.completeMs.toFixed(0),
      figures.createMs.toFixed(0),
      figures.showMs.toFixed(0),
      figures.droppedPercent.toFixed(1),
      figures.heapMb.toFixed(1),
      figures.elements.toFixed(0),
    ];
  }),
)}
- *First row* and *complete*: from navigation to the frame with the first row or with all rows.
- *Create*: from the click to the frame that confirms the new project.
- *Show new project*: from the click on "Show the new project" to the frame with its row.
- *Dropped frames*: of the 90 frames in 1.5 seconds, while the whole list scrolls by.
- *Heap*: after garbage collection.
`;
}
