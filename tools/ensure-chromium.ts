/**
 * Provides a Chromium for the browser tests: an installed one, Playwright's download, or Debian's
 * package. Each is tried by opening a page, because a download may lack libraries, and a system's
 * command may be a stub.
 */
import { stripVTControlCharacters } from 'node:util';
import { installAdvice, launchBrowser } from './chromium.ts';
import { findChromiums, findPrograms } from '../shared/programs.ts';
import { runProgram, toolCommand } from './run.ts';

const timeoutSeconds = 300;

/**
 * Returns the path of a Chromium that opens a page, after installing one if necessary.
 * Throws an error that lists what was tried and what to install.
 */
export async function ensureChromium(log: (line: string) => void): Promise<string> {
  const failures = new Set<string>();
  const installed = await findWorkingChromium(failures);
  if (installed) return installed;
  for (const command of process.env['CHROMIUM'] ? [] : installCommands()) {
    log(`No working Chromium found: ${command.join(' ')}`);
    const output = await runProgram(command, timeoutSeconds);
    if (output.length > 0) failures.add([command.join(' '), ...output.slice(-12)].join('\n'));
    const path = await findWorkingChromium(failures);
    if (path) return path;
  }
  throw new Error(`${[...failures].join('\n\n')}\n\nNo Chromium opens a page. ${installAdvice}`);
}

async function findWorkingChromium(failures: Set<string>): Promise<string | undefined> {
  for (const path of findChromiums()) {
    try {
      const browser = await launchBrowser(path);
      try {
        await (await browser.newPage()).goto('about:blank');
      } finally {
        await browser.close();
      }
      return path;
    } catch (error) {
      // The first line, without the log of the launch.
      const [reason] = stripVTControlCharacters(String(error)).split('\n');
      failures.add(`${path} does not start: ${reason}`);
    }
  }
  return undefined;
}

function installCommands(): string[][] {
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
