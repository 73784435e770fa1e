import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { chromium, type Browser, type LaunchOptions } from 'playwright-core';
import { findChromiums } from '../shared/programs.ts';

const execFileAsync = promisify(execFile);

/** Instructions for a machine on which no browser was found. */
export const installAdvice =
  'Install Chromium (Debian: apt-get install chromium; Fedora: dnf install chromium; macOS: brew install --cask chromium), ' +
  'or set CHROMIUM to the path of a Chromium or Chrome, then run the command again.';

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
      ...(options.args ?? []),
    ],
  });
}

async function findFirstWorking(): Promise<string> {
  for (const path of findChromiums()) {
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
