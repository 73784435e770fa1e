/**
 * Provides a Chromium for the browser tests: an installed one, Playwright's download, or the
 * system's package. Each is tried by opening a page, because a download may lack libraries, and
 * a system's command may be a stub.
 */
import { stripVTControlCharacters } from 'node:util';
import { installAdvice, launchBrowser } from '../model/chromium.ts';
import { findChromiums, findPrograms } from '../model/programs.ts';
import { runCommand, toolCommand } from './run.ts';

type Source = { name: string; commands: string[][]; timeoutSeconds: number };

/**
 * Returns the path of a Chromium that opens a page, after installing one if necessary.
 * Throws an error that lists what was tried and what to install.
 */
export async function ensureChromium(log: (line: string) => void): Promise<string> {
  const installed = await findWorkingChromium();
  if (installed.path) return installed.path;
  if (process.env['CHROMIUM'])
    throw new Error(`${installed.failures.join('\n')}\n${installAdvice}`);

  const failures = new Set(installed.failures);
  for (const { name, commands, timeoutSeconds } of sources()) {
    log(`No working Chromium found: trying ${name} …`);
    for (const command of commands) {
      const output = await runCommand(command, timeoutSeconds);
      if (output.length > 0) failures.add([command.join(' '), ...output.slice(-12)].join('\n'));
    }
    const fetched = await findWorkingChromium();
    if (fetched.path) return fetched.path;
    for (const failure of fetched.failures) failures.add(failure);
  }
  throw new Error(
    `${[...failures].join('\n\n')}\n\nNo Chromium could be installed. ${installAdvice}`,
  );
}

async function findWorkingChromium(): Promise<{ path?: string; failures: string[] }> {
  const failures: string[] = [];
  for (const path of findChromiums()) {
    try {
      const browser = await launchBrowser(path);
      try {
        await (await browser.newPage()).goto('about:blank');
      } finally {
        await browser.close();
      }
      return { path, failures };
    } catch (error) {
      failures.push(`${path} does not start: ${summarize(error)}`);
    }
  }
  return { failures };
}

function sources(): Source[] {
  const playwright = {
    name: "Playwright's download",
    commands: [toolCommand('playwright-core/cli.js', 'install', '--no-shell', 'chromium')],
    timeoutSeconds: 180,
  };
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !isInstalled('sudo')) return [playwright];
  const packages = packageManagers
    .filter(([manager]) => isInstalled(manager))
    .map(([manager, ...commands]) => ({
      name: `the ${manager} package`,
      commands: commands.map((options) => [...(isRoot ? [] : ['sudo', '-n']), manager, ...options]),
      timeoutSeconds: 300,
    }));
  return [playwright, ...packages];
}

const packageManagers: [manager: string, ...commands: string[][]][] = [
  [
    'apt-get',
    ['update', '-q'],
    ['install', '-q', '-y', '--no-install-recommends', 'chromium-headless-shell'],
  ],
  ['apt-get', ['install', '-q', '-y', '--no-install-recommends', 'chromium']],
  ['dnf', ['install', '-y', 'chromium']],
  ['apk', ['add', '--no-cache', 'chromium']],
];

const isInstalled = (program: string) => findPrograms(program).length > 0;

/** Returns the first line of the error and the browser's own errors, without the launch log. */
function summarize(error: unknown): string {
  const [first = '', ...rest] = stripVTControlCharacters(String(error)).split('\n');
  return [first, ...rest.filter((line) => line.includes('[err]')).slice(0, 3)].join('\n');
}
