import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';

const executableNames = [
  // Renders the same pages as Chromium and needs fewer processes.
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
];

const wellKnownPaths: { [platform: string]: string[] } = {
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

/**
 * Returns executables that may be a Chromium, the likeliest first: only `CHROMIUM` if it is set
 * (none if it is empty), otherwise those of the system, then Playwright's own. They may fail to
 * start. Loads Playwright only to find its own, because that takes a third of a second.
 */
export function* findChromiums(): Generator<string> {
  const configured = process.env['CHROMIUM'];
  if (configured) yield configured;
  if (configured !== undefined) return;
  for (const name of executableNames) yield* findPrograms(name);
  yield* (wellKnownPaths[process.platform] ?? []).filter(isExecutable);
  const { chromium } = createRequire(import.meta.url)(
    'playwright-core',
  ) as typeof import('playwright-core');
  yield* [chromium.executablePath()].filter(isExecutable);
}

/**
 * Returns the paths of a program in the order of `PATH`. Each `bin` also stands for the `sbin`
 * beside it, where Debian has servers and where only root's `PATH` leads.
 */
export function findPrograms(name: string): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const all = folders.flatMap((folder) => [folder, folder.replace(/\bbin$/, 'sbin')]);
  return [...new Set(all)].map((folder) => join(folder, name)).filter(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
