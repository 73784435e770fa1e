import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '../../../model/chromium.ts';
import { readCommandLine } from '../../../tools/command-line.ts';
import { createVisualDriver } from './page-driver.ts';
import { showAllStates, type VisualState } from './states.ts';

type Theme = 'light' | 'dark';
type Picture = { file: string; theme: Theme; width: number };

const widths = [320, 768, 1280];
/** Some states are also pictured on a very wide screen, where a short page can look lost. */
const maxWidth = 2560;
const statesAtMaxWidth = /^\/($|about|login, at first|projects, one project)|unknown path$/;
const maxHeight = 1_600;

const { words } = readCommandLine(
  `Usage: npm run node -- tests/app/visual/contact-sheet.ts [WORD…]

Takes screenshots of all visual states of the build, in both themes and several widths. Writes them
on one page, tests/out/screenshots/index.html. Run "npm run build" first. A WORD selects states by a
part of their name, for example login.`,
  { words: true },
);
const folder = fileURLToPath(new URL('../out/screenshots/', import.meta.url));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const browser = await launchBrowser();
const page = await browser.newPage();
const rows: { state: VisualState; pictures: Picture[] }[] = [];
await showAllStates(await createVisualDriver(page), async (state) => {
  if (words.length > 0 && !words.some((word) => state.name.includes(word))) return;
  const number = String(rows.length + 1).padStart(2, '0');
  const pictures: Picture[] = [];
  for (const theme of ['light', 'dark'] as const) {
    for (const width of statesAtMaxWidth.test(state.name) ? [...widths, maxWidth] : widths) {
      const file = `${number}-${theme}-${width}.png`;
      await takePicture(theme, width, join(folder, file));
      pictures.push({ file, theme, width });
    }
  }
  rows.push({ state, pictures });
});
await browser.close();
if (rows.length === 0) {
  console.error(`No state has "${words.join('" or "')}" in its name.`);
  process.exit(1);
}
writeFileSync(join(folder, 'index.html'), contactSheet());
console.log(`tests/out/screenshots/index.html: ${rows.length} states`);

async function takePicture(theme: Theme, width: number, path: string) {
  await page.emulateMedia({ colorScheme: theme });
  await page.setViewportSize({ width, height: width < 500 ? 640 : 800 });
  const height = await page.evaluate(() => {
    // Stops animations at a moment at which they are visible.
    for (const animation of document.getAnimations()) {
      animation.pause();
      animation.currentTime = 500;
    }
    return document.documentElement.scrollHeight;
  });
  const clip = { x: 0, y: 0, width, height: Math.min(height, maxHeight) };
  await page.screenshot({ path, clip, fullPage: true });
}

function contactSheet(): string {
  const sections = rows.map(({ state, pictures }, index) => {
    const figures = pictures.map(
      ({ file, theme, width }) =>
        `<figure><a href="${file}"><img src="${file}" width="${Math.round(width / 2.5)}" loading="lazy" alt="${theme}, ${width} px"></a><figcaption>${theme} ${width}</figcaption></figure>`,
    );
    return `<section><h2>${index + 1}. ${escapeHtml(state.name)}</h2><div>${figures.join('')}</div></section>`;
  });
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Everything the app can show</title><style>
body { font: 14px/1.4 system-ui, sans-serif; margin: 24px; background: #888; color: #000 }
h2 { font-size: 16px; margin: 32px 0 0 } 
div { display: flex; flex-wrap: wrap; gap: 12px; align-items: flex-start } figure { margin: 0 } img { display: block }
</style>${sections.join('\n')}</html>\n`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
