import { globSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { findFreePort } from '../../tools/free-port.ts';
import { requireSoftware } from '../../tools/optional-software.ts';
import { startProgram } from '../../tools/start-program.ts';
import { within } from '../../shared/waits.ts';
import { longWaitMs, maxWaitMs } from '../../testing/time-limits.ts';
import type { Engine, Key, Look, PageOptions } from './setting/page.ts';

/** The keys of the WebDriver standard, which are private characters. */
const keyCodes: Record<string, string> = {
  Tab: '\uE004',
  Enter: '\uE007',
  Shift: '\uE008',
  End: '\uE010',
  Home: '\uE011',
  ArrowLeft: '\uE012',
  ArrowRight: '\uE014',
};

type KeyAction = { type: 'keyDown' | 'keyUp'; value: string };

/**
 * Runs a command in a process group. Stops the group, with the virtual screen and the browser, when
 * the command ends, when the standard input is closed, and so when this process is killed.
 */
const stopWithParent = '{ "$@"; kill 0; } & read -r _; kill 0';

const displayOptions = ['--auto-servernum', '--server-args=-screen 0 1920x1400x24'];

/** Starts WebKitGTK's WebDriver on a virtual screen. It runs one browser at a time. */
async function startDriver(folder: string) {
  const port = await findFreePort();
  const program = requireSoftware('webkit');
  const command = ['xvfb-run', ...displayOptions, program, `--port=${port}`];
  const driver = startProgram(['sh', '-c', stopWithParent, 'sh', ...command], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: {
      ...process.env,
      GDK_BACKEND: 'x11',
      // Otherwise GTK starts a bus and accessibility services, which would outlive the browser.
      DBUS_SESSION_BUS_ADDRESS: 'disabled:',
      XDG_CONFIG_HOME: folder,
      TMPDIR: folder,
    },
  });
  const send = createClient(`http://127.0.0.1:${port}`);
  const isReady = () => send('GET', '/status').then(Boolean, () => false);
  await driver.waitFor('WebKitWebDriver and its screen', isReady);
  return {
    send,
    async stop() {
      driver.child.stdin?.end();
      await driver.ended;
    },
  };
}

/** Returns the browser that Debian installs together with the driver. */
const findMiniBrowser = () =>
  globSync('/usr/{lib,libexec}/{,*/}webkit2gtk-4.*/MiniBrowser').toSorted()[0];

export async function startWebKit(): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'webkit-'));
  let driver: Awaited<ReturnType<typeof startDriver>> | undefined;
  let session: { look: Look; sessionId: string; send: Send } | undefined;

  async function startSession(look: Look) {
    await driver?.stop();
    await writeSettings(folder, look);
    driver = await startDriver(folder);
    const { send } = driver;
    const { sessionId } = await send<{ sessionId: string }>('POST', '/session', {
      capabilities: {
        alwaysMatch: {
          browserName: 'MiniBrowser',
          // The driver waits for no page to load, because some have scripts that are held back.
          pageLoadStrategy: 'none',
          timeouts: { implicit: longWaitMs, script: longWaitMs },
          'webkitgtk:browserOptions': { binary: findMiniBrowser(), args: ['--automation'] },
        },
      },
    });
    return { look, sessionId, send };
  }

  return {
    async open(options) {
      const { look } = options;
      // Now and then, a driver never answers the request for a session. No page was opened then.
      if (session?.look !== look)
        session = await within('a session', startSession(look), maxWaitMs).catch(() =>
          startSession(look),
        );
      const { sessionId, send } = session;
      const page = createPage(
        <Result>(method: string, path: string, body?: object) =>
          send<Result>(method, `/session/${sessionId}${path}`, body),
        options,
      );
      await page.reset();
      return page;
    },
    async stop() {
      await driver?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Send = <Result>(method: string, path: string, body?: object) => Promise<Result>;

const createClient =
  (address: string): Send =>
  async (method, path, body) => {
    const json = body && JSON.stringify(body);
    const response = await fetch(address + path, {
      method,
      signal: AbortSignal.timeout(longWaitMs),
      ...(json && { body: json }),
    }).catch((cause: unknown) => {
      throw new Error(`WebKitWebDriver did not respond to ${method} ${path} ${json}`, { cause });
    });
    const { value } = (await response.json()) as { value: never };
    if (!response.ok) {
      const { error, message }: { error: string; message: string } = value;
      throw new Error(`WebKitWebDriver refused ${method} ${path}: ${error}: ${message}`);
    }
    return value;
  };

/** Writes the settings of GTK, which a browser reads when it starts. */
async function writeSettings(folder: string, look: Look) {
  await mkdir(join(folder, 'gtk-3.0'), { recursive: true });
  const settings = [
    '[Settings]',
    `gtk-theme-name=${look === 'dark' ? 'Adwaita-dark' : 'Adwaita'}`,
    `gtk-overlay-scrolling=${look === 'light'}`,
  ];
  await writeFile(join(folder, 'gtk-3.0/settings.ini'), settings.join('\n'));
  // Otherwise the toolbar keeps the window wider than 320 px.
  const style = 'window > box * { min-width: 0; padding: 0; margin: 0; border-width: 0; }';
  await writeFile(join(folder, 'gtk-3.0/gtk.css'), style);
}

/** The part of WebDriver that the stories need. */
function createPage(send: Send, { width, height }: PageOptions) {
  const evaluate = <Result, Argument>(run: (argument: Argument) => Result, argument?: Argument) =>
    send<Awaited<Result>>('POST', '/execute/sync', {
      script: `return (${String(run)})(arguments[0])`,
      args: [argument],
    });
  async function resize(newWidth: number, newHeight: number) {
    const window = await send<{ height: number }>('GET', '/window/rect');
    const toolbarHeight = window.height - (await evaluate(() => innerHeight));
    await send('POST', '/window/rect', { width: newWidth, height: newHeight + toolbarHeight });
    await expect
      .poll(() => evaluate(() => [innerWidth, innerHeight]), { timeout: longWaitMs })
      .toEqual([newWidth, newHeight]);
  }
  let devices = 0;
  const act = (type: string, actions: object[]) =>
    send<void>('POST', '/actions', {
      // A new device each time: the driver ignores a second turn of a wheel by the same distance.
      actions: [{ type, id: `${type}-${++devices}`, actions }],
    });
  const down = (value: string): KeyAction => ({ type: 'keyDown', value });
  const up = (value: string): KeyAction => ({ type: 'keyUp', value });

  return {
    goto: (url: string) => send<void>('POST', '/url', { url }),
    /** Returns once the new document is there, because the driver responds before it is. */
    async reload() {
      await evaluate(() => void (document.body.dataset['old'] = ''));
      await send<void>('POST', '/refresh', {});
      await expect
        .poll(() => evaluate(() => document.body?.dataset['old']), { timeout: longWaitMs })
        .toBeNull();
    },
    evaluate,
    async click(selector: string) {
      // The driver itself does not scroll back from the end of a page of 400 % zoom.
      await evaluate(
        (name) => document.querySelector(name)?.scrollIntoView({ block: 'nearest' }),
        selector,
      );
      const element = await send<object>('POST', '/element', {
        using: 'css selector',
        value: selector,
      });
      await send<void>('POST', `/element/${Object.values(element)[0]}/click`, {});
    },
    type: (text: string) =>
      act(
        'key',
        Array.from(text).flatMap((character) => [down(character), up(character)]),
      ),
    press(key: Key) {
      const keys = key.split('+').map((name) => keyCodes[name] ?? name);
      return act('key', [...keys.map(down), ...keys.toReversed().map(up)]);
    },
    // No key, because this browser binds none to it.
    undo: async () => void (await evaluate(() => document.execCommand('undo'))),
    async wheel(pixels: number) {
      const [x, y] = [Math.round(width / 2), Math.round(height / 2)];
      await act('wheel', [{ type: 'scroll', x, y, deltaX: 0, deltaY: pixels, duration: 0 }]);
    },
    resize,
    /** Empties the page, and gives it the requested size. */
    async reset() {
      const address = () => evaluate(() => location.href).catch(() => 'between two pages');
      if ((await address()) !== 'about:blank') {
        await send('DELETE', '/cookie');
        await send<void>('POST', '/url', { url: 'about:blank' });
        await expect.poll(address, { timeout: longWaitMs }).toBe('about:blank');
      }
      await resize(width, height);
    },
  };
}
