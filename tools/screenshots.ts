/**
 * Takes the pictures of the README anew: the built app on its own server, in both themes.
 * Run it after `npm run build`: `node tools/screenshots.ts`.
 */
import type { Browser } from 'playwright-core';
import { field, signUpAndIn, submit, titles } from '../tests/support/browser.ts';
import { launchBrowser } from '../conformance/ui/chromium.ts';
import { startServerProcess } from '../tests/support/server-process.ts';

const projects = [
  ['Website relaunch', 'New pages for the spring range.\nTexts are due in March.'],
  ['Move to the new office', 'Boxes, keys, and a plan for the day itself.'],
  ['Customer survey', 'Twelve questions, and somebody who reads the answers.'],
];

async function picture(browser: Browser, address: string, colorScheme: 'light' | 'dark') {
  const viewport = { width: 900, height: 960 };
  const page = await browser.newPage({ colorScheme, viewport, deviceScaleFactor: 1.5 });
  await signUpAndIn(page, address);
  for (const [index, [title = '', description = '']] of projects.entries()) {
    await field(page, 'Title').fill(title);
    await field(page, 'Description').fill(description);
    await submit(page, 'Create Project').click();
    await titles(page).nth(index).waitFor();
  }
  // Off the button, which would look pressed.
  await page.mouse.move(0, 0);
  await page.screenshot({ path: `docs/app-${colorScheme}.png` });
}

const server = await startServerProcess();
const browser = await launchBrowser();
await picture(browser, server.address, 'light');
await picture(browser, server.address, 'dark');
await browser.close();
await server.stop();
