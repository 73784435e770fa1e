import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../../model/chromium.ts';
import { submitButton } from '../../../model/browser-driver.ts';
import { readCommandLine } from '../../../tools/command-line.ts';
import { fillProject, rowTitles, signUpAndIn } from '../../support/browser.ts';
import { startTemporaryServer } from '../../support/server-process.ts';

readCommandLine(`Usage: npm run node -- tests/app/visual/readme-screenshots.ts

Writes the two screenshots of the README, docs/app-light.png and docs/app-dark.png, of the built app
on its own server. Run "npm run build" first.`);

const projects = [
  ['Website relaunch', 'New pages for the spring range.\nTexts are due in March.'],
  ['Move to the new office', 'Boxes, keys, and a plan for the day itself.'],
  ['Customer survey', 'Twelve questions, and a person to read the answers.'],
];

async function takeScreenshot(browser: Browser, address: string, colorScheme: 'light' | 'dark') {
  const viewport = { width: 900, height: 960 };
  // Without transitions, which a screenshot may catch halfway.
  const reducedMotion = 'reduce';
  const page = await browser.newPage({
    colorScheme,
    reducedMotion,
    viewport,
    deviceScaleFactor: 1.5,
  });
  await signUpAndIn(page, address);
  for (const [index, [title = '', description = '']] of projects.entries()) {
    await fillProject(page, title, description);
    await submitButton(page, 'Create Project').click();
    await rowTitles(page).nth(index).waitFor();
  }
  // Otherwise the button is in its hover state.
  await page.mouse.move(0, 0);
  await page.screenshot({ path: `docs/app-${colorScheme}.png` });
}

const server = await startTemporaryServer();
const browser = await launchBrowser();
await takeScreenshot(browser, server.address, 'light');
await takeScreenshot(browser, server.address, 'dark');
await browser.close();
await server.stop();
