import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Browser, type LaunchOptions } from 'playwright-core';

const execFileAsync = promisify(execFile);

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

/** Instructions for a machine on which no browser was found. */
export const installAdvice =
  'Install Chromium (Debian: apt-get install chromium; Fedora: dnf install chromium; macOS: brew install --cask chromium), ' +
  'or set CHROMIUM to the path of a Chromium or Chrome, then run the command again.';

/**
 * Returns executables that may be a Chromium, the likeliest first: only `CHROMIUM` if it is set,
 * otherwise Playwright's own browser, then those of the system. They may fail to start.
 */
export async function findCandidates(): Promise<string[]> {
  const configured = process.env['CHROMIUM'];
  if (configured) return [configured];
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const paths = [
    chromium.executablePath(),
    ...executableNames.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...(wellKnownPaths[process.platform] ?? []),
  ];
  const isExecutable = await Promise.all(
    paths.map((path) =>
      access(path, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return paths.filter((_, index) => isExecutable[index]);
}

let firstWorking: Promise<string> | undefined;

/** Returns the path of a Chromium that starts. Throws with instructions if there is none. */
export function findChromium(): Promise<string> {
  return (firstWorking ??= findFirstWorking());
}

/** Launches a headless browser with the options that all browser tests share. */
export async function launchBrowser(
  executablePath?: string,
  options: LaunchOptions = {},
): Promise<Browser> {
  const path = executablePath ?? (await findChromium());
  const isRoot = process.getuid?.() === 0;
  try {
    return await launch(path, { ...options, chromiumSandbox: !isRoot });
  } catch (error) {
    // Containers often forbid the sandbox. So does Ubuntu for browsers from other sources.
    if (!isRoot && /sandboxing failed/.test(String(error))) {
      return launch(path, { ...options, chromiumSandbox: false });
    }
    throw error;
  }
}

const disabledFeatures = [
  // The address bar, which takes two processes per window and is invisible in a headless browser.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxPopupDebug',
  'AimEnabled',
  // A process that is kept in reserve for the next page.
  'SpareRendererForSitePerProcess',
  // Playwright disables these by default, but this list replaces its list.
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

function launch(executablePath: string, options: LaunchOptions): Promise<Browser> {
  return chromium.launch({
    ...options,
    executablePath,
    headless: true,
    timeout: 180_000,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-features=${disabledFeatures.join(',')}`,
    ],
  });
}

async function findFirstWorking(): Promise<string> {
  for (const path of await findCandidates()) {
    try {
      // Fails for a stub that only explains how to install the browser, and for missing libraries.
      await execFileAsync(path, ['--version'], { timeout: 120_000 });
      return path;
    } catch {
      if (process.env['CHROMIUM']) {
        throw new Error(`CHROMIUM is set to ${path}, which does not start. ${installAdvice}`);
      }
    }
  }
  throw new Error(`No Chromium was found. ${installAdvice}`);
}
