/**
 * Sees to it that the browser tests have a browser: the one that is there, or Playwright's own download, or the system's
 * package. What counts is that it opens a page; a download may lack libraries, a system's command may be a stub.
 */
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { advice, candidates, launchBrowser } from '../conformance/ui/chromium.ts';
import { failureOf, tool } from './run.ts';

/** One way to a Chromium: commands in order, each stopped after its time. */
type Source = { how: string; commands: string[][]; seconds: number };

/**
 * The path of a Chromium that opens a page, fetched if need be. `say` is told what takes long.
 * Throws with one message that says what to install, and what was tried.
 */
export async function ensureChromium(say: (line: string) => void): Promise<string> {
  const present = await firstThatOpens();
  if (present.path) return present.path;
  if (process.env['CHROMIUM']) throw new Error(`${present.why.join('\n')}\n${advice}`);

  const told: string[] = present.why;
  for (const { how, commands, seconds } of await sources()) {
    say(`There is no Chromium that starts: trying ${how} …`);
    for (const command of commands) {
      const failure = await failureOf(command, seconds);
      if (failure.length > 0) told.push([command.join(' '), ...failure.slice(-12)].join('\n'));
    }
    const fetched = await firstThatOpens();
    if (fetched.path) return fetched.path;
    told.push(...fetched.why.filter((line) => !told.includes(line)));
  }
  throw new Error(`${told.join('\n\n')}\n\nNo Chromium could be had. ${advice}`);
}

async function firstThatOpens(): Promise<{ path?: string; why: string[] }> {
  const why: string[] = [];
  for (const path of await candidates()) {
    try {
      const browser = await launchBrowser(path);
      try {
        await (await browser.newPage()).goto('about:blank');
      } finally {
        await browser.close();
      }
      return { path, why };
    } catch (error) {
      why.push(`${path} does not start: ${essence(error)}`);
    }
  }
  return { why };
}

async function sources(): Promise<Source[]> {
  const all: Source[] = [
    {
      how: "Playwright's own download",
      commands: [tool('playwright-core/cli.js', 'install', '--no-shell', 'chromium')],
      seconds: 180,
    },
  ];
  const asRoot =
    process.getuid?.() === 0 ? [] : (await onPath('sudo')) ? ['sudo', '-n'] : undefined;
  for (const [manager, ...commands] of packageManagers) {
    if (asRoot && (await onPath(manager))) {
      all.push({
        how: `${manager}'s package`,
        commands: commands.map((command) => [...asRoot, manager, ...command]),
        seconds: 300,
      });
    }
  }
  return all;
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

async function onPath(command: string): Promise<boolean> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    try {
      await access(join(folder, command));
      return true;
    } catch {
      continue;
    }
  }
  return false;
}

/** The first line of the error and what the browser itself said, without the log of the launch. */
function essence(error: unknown): string {
  const [first = '', ...rest] = stripVTControlCharacters(String(error)).split('\n');
  return [first, ...rest.filter((line) => line.includes('[err]')).slice(0, 3)].join('\n');
}

if (import.meta.main) {
  try {
    console.log(await ensureChromium(console.log));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
