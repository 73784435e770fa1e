import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';

const run = promisify(execFile);

const names = [
  // It shows the same pages as Chromium, and has no windows to draw around them.
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
];

const usualPaths: { [platform: string]: string[] } = {
  linux: ['/usr/lib/chromium/chromium', '/opt/google/chrome/chrome', '/snap/bin/chromium'],
  darwin: [
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ],
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  ],
};

/** What a person can do where no browser was found and none could be fetched. */
export const advice =
  'Install Chromium (Debian: apt-get install chromium; Fedora: dnf install chromium; macOS: brew install --cask chromium), ' +
  'or set CHROMIUM to the path of a Chromium or Chrome, then run the command again.';

/**
 * Where a Chromium may be, the likeliest first: `CHROMIUM` alone when it is set, otherwise Playwright's own, then what the
 * system has. Only executables that exist are named; whether they start is another question.
 */
export async function candidates(): Promise<string[]> {
  const chosen = process.env['CHROMIUM'];
  if (chosen) return [chosen];
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const paths = [
    chromium.executablePath(),
    ...names.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...(usualPaths[process.platform] ?? []),
  ];
  const there = await Promise.all(
    paths.map((path) =>
      access(path, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return paths.filter((_, index) => there[index]);
}

let found: Promise<string> | undefined;

/**
 * The path of a Chromium that starts. Asked once per process.
 * Throws, with advice, where there is none; `npm test` gets one by itself before it comes to that.
 */
export function findChromium(): Promise<string> {
  return (found ??= firstThatStarts());
}

/**
 * A headless browser with the options every browser test shares. Close it after use.
 * `executablePath` is for trying out a certain one.
 */
export async function launchBrowser(executablePath?: string): Promise<Browser> {
  const path = executablePath ?? (await findChromium());
  const root = process.getuid?.() === 0;
  try {
    return await launch(path, !root);
  } catch (error) {
    // Many containers, and Ubuntu for a browser that it did not package, allow no sandbox to anybody.
    if (!root && /sandboxing failed/.test(String(error))) {
      return launch(path, false);
    }
    throw error;
  }
}

/**
 * The first five: the address bar, which nobody sees, takes two processes for every window. The sixth: a process that is kept ready
 * for a page that may never come. The others are what Playwright turns off by itself and tests depend on: of two such lists Chromium
 * heeds the last.
 */
const off = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxPopupDebug',
  'AimEnabled',
  'SpareRendererForSitePerProcess',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

function launch(executablePath: string, chromiumSandbox: boolean): Promise<Browser> {
  return chromium.launch({
    executablePath,
    chromiumSandbox,
    headless: true,
    timeout: 60_000,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-features=${off.join(',')}`,
    ],
  });
}

async function firstThatStarts(): Promise<string> {
  for (const path of await candidates()) {
    try {
      // A stub that only tells how to install the real one fails here, and so does a browser that lacks libraries.
      await run(path, ['--version'], { timeout: 30_000 });
      return path;
    } catch {
      if (process.env['CHROMIUM']) {
        throw new Error(`CHROMIUM is ${path}, and that does not start. ${advice}`);
      }
    }
  }
  throw new Error(`No Chromium was found. ${advice}`);
}
