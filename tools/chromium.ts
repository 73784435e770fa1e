/**
 * Finds a Chromium for what needs a browser: an installed one, or for `npm test` also Playwright's
 * download or Debian's package. Each is tried by opening a page, because a download may lack
 * libraries, and a system's command may be a stub.
 */
import { stripVTControlCharacters } from 'node:util';
import { chromium, type Browser, type LaunchOptions } from 'playwright-core';
import { findChromiums, findPrograms } from '../shared/programs.ts';
import { runProgram, toolCommand } from './run.ts';

const installAdvice =
  'Install Chromium (Debian: apt-get install chromium; Fedora: dnf install chromium; macOS: brew install --cask chromium), ' +
  'or set CHROMIUM to the path of a Chromium or Chrome, then run the command again.';

const installSeconds = 300;

let firstWorking: Promise<string> | undefined;

/** Launches a headless browser with the options that all browser tests share. */
export async function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
  const path = process.env['CHROMIUM'] || (await (firstWorking ??= findChromium()));
  return launch(path, options);
}

/**
 * Returns the path of a Chromium that opens a page. Runs the commands that install one while there
 * is none. Throws an error that lists what was tried and what to install.
 */
export async function findChromium(commands: string[][] = []): Promise<string> {
  const failures = new Set<string>();
  for (const command of [[], ...commands]) {
    if (command.length > 0) {
      console.log(`No working Chromium found: ${command.join(' ')}`);
      const output = await runProgram(command, installSeconds);
      if (output.length > 0) failures.add([command.join(' '), ...output.slice(-12)].join('\n'));
    }
    for (const path of findChromiums()) {
      try {
        await using browser = await launch(path);
        await (await browser.newPage()).goto('about:blank');
        return path;
      } catch (error) {
        // The first line, without the log of the launch.
        const [reason] = stripVTControlCharacters(String(error)).split('\n');
        failures.add(`${path} does not start: ${reason}`);
      }
    }
  }
  throw new Error(`${[...failures].join('\n\n')}\n\nNo Chromium opens a page. ${installAdvice}`);
}

/** Returns the commands that may install a Chromium on this machine. */
export function installCommands(): string[][] {
  const playwright = toolCommand('playwright-core/cli.js', 'install', '--no-shell', 'chromium');
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  if ([...sudo.slice(0, 1), 'apt-get'].some((program) => findPrograms(program).length === 0))
    return [playwright];
  const apt = (...options: string[]) => [...sudo, 'apt-get', '-q', '-y', ...options];
  return [
    playwright,
    apt('update'),
    apt('install', '--no-install-recommends', 'chromium-headless-shell'),
    apt('install', '--no-install-recommends', 'chromium'),
  ];
}

async function launch(path: string, options: LaunchOptions = {}): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  try {
    return await launchWith(path, { ...options, chromiumSandbox: !isRoot });
  } catch (error) {
    // Containers often forbid the sandbox. So does Ubuntu for browsers from other sources.
    if (!isRoot && /sandboxing failed/.test(String(error))) {
      return launchWith(path, { ...options, chromiumSandbox: false });
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

function launchWith(executablePath: string, options: LaunchOptions): Promise<Browser> {
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
