/**
 * `npm run screenshots`, after `npm run build`: takes a picture of everything the app can show, in both themes and at several widths, and
 * puts them on one page, `tests/out/screenshots/index.html`. With words behind it, as in `npm run screenshots -- login`, only the scenes
 * whose names have one of them.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../../conformance/ui/chromium.ts';
import { playAll, type Scene } from './states.ts';
import { openStage } from './page-driver.ts';

export const themes = ['light', 'dark'] as const;
const widths = [320, 768, 1280];
/** What stands alone in much room looks lost sooner than a full page. */
const veryWide = {
  width: 2560,
  scenes: /^\/($|about|login, at first|projects, one project)|none$/,
};
/** Lists may be longer; the picture ends here. */
const longest = 1_600;

type Picture = { file: string; theme: string; width: number };

if (import.meta.main) {
  const folder = fileURLToPath(new URL('../out/screenshots/', import.meta.url));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const wanted = process.argv.slice(2);

  const browser = await launchBrowser();
  const page = await browser.newPage();
  const taken: { scene: Scene; pictures: Picture[] }[] = [];
  await playAll(await openStage(page), async (scene) => {
    if (wanted.length > 0 && !wanted.some((word) => scene.name.includes(word))) return;
    const number = String(taken.length + 1).padStart(2, '0');
    const pictures: Picture[] = [];
    for (const theme of themes) {
      for (const width of veryWide.scenes.test(scene.name) ? [...widths, veryWide.width] : widths) {
        const file = `${number}-${theme}-${width}.png`;
        await picture(page, { theme, width, path: join(folder, file) });
        pictures.push({ file, theme, width });
      }
    }
    taken.push({ scene, pictures });
  });
  await browser.close();
  writeFileSync(join(folder, 'index.html'), sheetOf(taken));
  console.log(`tests/out/screenshots/index.html: ${taken.length} scenes`);
}

async function picture(
  page: Page,
  { theme, width, path }: { theme: 'light' | 'dark'; width: number; path: string },
) {
  await page.emulateMedia({ colorScheme: theme });
  await page.setViewportSize({ width, height: width < 500 ? 640 : 800 });
  const height = await page.evaluate(() => {
    // What moves is caught where it can be seen.
    for (const animation of document.getAnimations()) {
      animation.pause();
      animation.currentTime = 500;
    }
    return document.documentElement.scrollHeight;
  });
  const clip = { x: 0, y: 0, width, height: Math.min(height, longest) };
  await page.screenshot({ path, clip, fullPage: true });
}

function sheetOf(taken: { scene: Scene; pictures: Picture[] }[]): string {
  const rows = taken.map(({ scene, pictures }, index) => {
    const situations = scene.situations.map((each) => `<li>${escaped(each)}</li>`).join('');
    const figures = pictures.map(
      ({ file, theme, width }) =>
        `<figure><a href="${file}"><img src="${file}" width="${Math.round(width / 2.5)}" loading="lazy" alt="${theme}, ${width} px"></a><figcaption>${theme} ${width}</figcaption></figure>`,
    );
    return `<section><h2>${index + 1}. ${escaped(scene.name)}</h2><ul>${situations}</ul><div>${figures.join('')}</div></section>`;
  });
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Everything the app can show</title><style>
body { font: 14px/1.4 system-ui, sans-serif; margin: 24px; background: #888; color: #000 }
h2 { font-size: 16px; margin: 32px 0 0 } ul { margin: 4px 0; padding-left: 20px; font-size: 12px; columns: 3 }
div { display: flex; flex-wrap: wrap; gap: 12px; align-items: flex-start } figure { margin: 0 } img { display: block }
</style>${rows.join('\n')}</html>\n`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
