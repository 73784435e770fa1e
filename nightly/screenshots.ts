import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser } from '../tools/chromium.ts';
import { readCommandLine } from '../tools/command-line.ts';
import { root } from '../tools/run.ts';
import { createVisualDriver } from '../testing/page-driver.ts';
import { showAllStates, stateOfReadme } from '../testing/visual-states.ts';

const themes = ['light', 'dark'] as const;
/** A short page can look lost on the widest screen. */
const widths = [320, 768, 1280, 2560];
const maxHeight = 1_600;

const { options, words } = readCommandLine(
  `Usage: npm run node -- nightly/screenshots.ts [--readme] [WORD…]

Takes screenshots of all visual states of the build, in both themes and several widths. Writes them
on one page, tests/out/screenshots/index.html. Run "npm run build" first. A WORD selects states by a
part of their name, for example login.

  --readme  writes docs/app-light.png and docs/app-dark.png instead, the screenshots of the README`,
  { options: ['readme'], words: true },
);
const isReadme = options.has('readme');
const isSelected = (name: string) =>
  isReadme ? name === stateOfReadme : words.every((word) => name.includes(word));

const folder = join(root, 'tests/out/screenshots');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const browser = await launchBrowser();
const page = await browser.newPage({ deviceScaleFactor: 1.5 });
const sections: string[] = [];
await showAllStates(await createVisualDriver(page), async (name) => {
  if (!isSelected(name)) return;
  let figures = '';
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme });
    if (isReadme) {
      await takeScreenshot(join(root, `docs/app-${colorScheme}.png`), 900);
      continue;
    }
    for (const width of widths) {
      const file = `${sections.length + 1}-${colorScheme}-${width}.png`;
      await takeScreenshot(join(folder, file), width);
      figures += `<a href="${file}"><img src="${file}" width="${width / 2.5}" loading="lazy"></a>\n`;
    }
  }
  sections.push(`<h2>${sections.length + 1}. ${name.replaceAll('<', '&lt;')}</h2>\n${figures}`);
});
await browser.close();
if (sections.length === 0) {
  console.error(`No state has "${words.join('" and "')}" in its name.`);
  process.exit(1);
}
if (!isReadme) {
  const style = 'body { background: #888 } img { margin: 8px; vertical-align: top }';
  const head = '<meta charset="utf-8"><title>Everything the app can show</title>';
  writeFileSync(
    join(folder, 'index.html'),
    `<!doctype html>\n<html lang="en">${head}<style>${style}</style>\n${sections.join('')}</html>\n`,
  );
  console.log(`tests/out/screenshots/index.html: ${sections.length} states`);
}

async function takeScreenshot(path: string, width: number) {
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
