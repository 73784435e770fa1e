import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findPrograms } from '../../shared/programs.ts';
import { UsageError } from '../../shared/usage-error.ts';

const run = promisify(execFile);

/** The program of each Debian package that a story needs. */
const programs = {
  xvfb: 'Xvfb',
  'dbus-daemon': 'dbus-daemon',
  'at-spi2-core': '../libexec/at-spi-bus-launcher',
  orca: 'orca',
  xdotool: 'xdotool',
  'firefox-esr': 'firefox-esr',
};

/** Throws an error that names the packages to install, if a program is missing. */
export function assertInstalled(): void {
  const missing = Object.entries(programs).flatMap(([name, program]) =>
    findPrograms(program).length === 0 ? [name] : [],
  );
  if (missing.length > 0) {
    throw new UsageError(`Install the missing packages: apt-get install ${missing.join(' ')}`);
  }
}

const firefoxPreferences = {
  'browser.aboutwelcome.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'signon.rememberSignons': false,
  // A moving progress indicator would keep the browser busy.
  'ui.prefersReducedMotion': 1,
};

/** Writes an empty profile. Returns the command of a browser that shows one page. */
function browserCommand(profile: string, url: string): string[] {
  mkdirSync(profile);
  const lines = Object.entries(firefoxPreferences).map(
    ([name, value]) => `user_pref("${name}", ${value});`,
  );
  writeFileSync(join(profile, 'user.js'), lines.join('\n'));
  return ['firefox-esr', '--profile', profile, '--no-remote', '--kiosk', url];
}

const limitMs = 60_000;
const sampleMs = 250;

/** Files in the home folder of a session. */
const settings = {
  // Orca's own buffer would delay its output.
  'data/orca/orca-customizations.py':
    'from orca import debug\ndebug.debugFile.reconfigure(line_buffering=True)\n',
  // A voice that needs neither a speech synthesizer nor a sound device.
  'config/speech-dispatcher/speechd.conf':
    'AudioOutputMethod "libao"\nAddModule "dummy" "sd_dummy" ""\nDefaultModule dummy\n',
  '.libao': 'default_driver=null\n',
};

/** Starts a display, a D-Bus, Orca and Firefox with settings of their own. */
export async function startDesktop(url: string) {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-app-screen-reader-'));
  const debugFile = join(folder, 'orca.txt');
  writeFileSync(debugFile, '');
  for (const [path, text] of Object.entries(settings)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const env: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: folder,
    XDG_RUNTIME_DIR: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_DATA_HOME: join(folder, 'data'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    GSETTINGS_BACKEND: 'memory',
    GNOME_ACCESSIBILITY: '1',
    LC_ALL: 'C.UTF-8',
  };
  const start = ([file = '', ...options]: string[]) => {
    const child = spawn(file, options, { env, stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.resume();
    return child;
  };
  /** Returns the first line that a program prints. */
  const firstLine = async (command: string[]) => {
    const [data] = (await once(start(command).stdout, 'data')) as [Buffer];
    return data.toString().trim();
  };
  const output = () => readFileSync(debugFile, 'utf8');

  async function waitFor(isDone: () => boolean | Promise<boolean>, problem: () => string) {
    const endMs = performance.now() + limitMs;
    while (!(await isDone())) {
      if (performance.now() > endMs) throw new Error(problem());
      await delay(100);
    }
  }

  /** Waits until Orca writes nothing more and no process of the session works. */
  async function idle() {
    let last = { length: 0, ticks: 0 };
    for (let quietSamples = 0; quietSamples < 4;) {
      await delay(sampleMs);
      const next = { length: output().length, ticks: cpuTicks(folder) };
      const isQuiet = next.length === last.length && next.ticks - last.ticks <= 2;
      quietSamples = isQuiet ? quietSamples + 1 : 0;
      last = next;
    }
  }

  const desktop = {
    /** Presses a key. Waits until Orca has said a match of each expression, and works no more. */
    async press(key: string, says: RegExp[]) {
      const { length } = output();
      await run('xdotool', ['key', key], { env });
      const said = () => parseSpeech(output().slice(length));
      const missing = () => says.filter((text) => !said().some((line) => text.test(line)));
      await waitFor(
        () => missing().length === 0,
        () =>
          `After ${key}, Orca did not say ${missing().join(', ')}, but: ${said().join(' | ') || 'nothing'}`,
      );
      await idle();
    },
    async type(text: string) {
      await run('xdotool', ['type', text], { env });
      await idle();
    },
    async stop() {
      const hasEnded = () => {
        const pids = sessionProcesses(folder);
        for (const pid of pids) kill(pid);
        return pids.length === 0;
      };
      await waitFor(hasEnded, () => `Processes with ${folder} in their environment survive.`);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    },
  };
  const interrupt = () => void desktop.stop().finally(() => process.exit(130));
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    env['DISPLAY'] =
      `:${await firstLine(['Xvfb', '-displayfd', '1', '-screen', '0', '1280x900x24'])}`;
    env['DBUS_SESSION_BUS_ADDRESS'] = await firstLine([
      'dbus-daemon',
      '--session',
      '--nofork',
      '--print-address=1',
    ]);
    const options = ['--disable=braille,key-echo,sound', '--enable=position-speaking'];
    start(['orca', ...options, `--debug-file=${debugFile}`]);
    await waitFor(
      () => parseSpeech(output()).includes('Screen reader on.'),
      () => 'Orca did not start. It starts once per user: end the one that runs.',
    );
    start(browserCommand(join(folder, 'profile'), url));
    const search = ['search', '--onlyvisible', '--name', 'Tracker App', 'windowfocus'];
    await waitFor(
      () =>
        run('xdotool', search, { env }).then(
          () => true,
          () => false,
        ),
      () => 'Firefox did not show the app.',
    );
    await idle();
    return desktop;
  } catch (error) {
    await desktop.stop();
    throw error;
  }
}

/** Returns the texts that Orca said, from its debug output. */
const parseSpeech = (debugOutput: string): string[] =>
  [...debugOutput.matchAll(/ - SPEECH OUTPUT: '([^]*?)' ?\[?\{/g)].map(([, text = '']) =>
    text.trim().replaceAll(/\s+/g, ' '),
  );

function kill(pid: string) {
  try {
    process.kill(Number(pid), 'SIGKILL');
  } catch {
    // It has ended.
  }
}

const readProcess = (pid: string, file: string) => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
};

/** Returns the processes with the folder in their environment, and their children. */
function sessionProcesses(folder: string): string[] {
  const found = new Set<string>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const [state, parent = ''] = statFields(pid);
    if (state === 'Z') continue;
    if (found.has(parent) || readProcess(pid, 'environ').includes(folder)) found.add(pid);
  }
  return [...found];
}

/** The fields after the name, which may contain spaces: state, parent, ... */
const statFields = (pid: string) =>
  readProcess(pid, 'stat')
    .replace(/^.*\) /, '')
    .split(' ');

/** Returns the processor time of the session so far, in hundredths of a second. */
const cpuTicks = (folder: string) =>
  sessionProcesses(folder)
    .map((pid) => statFields(pid))
    .reduce((sum, fields) => sum + Number(fields[11] ?? 0) + Number(fields[12] ?? 0), 0);
