import { createRequire } from 'node:module';
import { firefox, type Browser } from 'playwright-core';
import { launchBrowser } from '../../../model/chromium.ts';
import { optionalSoftware, requireSoftware } from '../../../tools/optional-software.ts';
import { longWaitMs } from '../../support/time-limits.ts';
import type { Engine, PageOptions } from './page.ts';

type Look = Pick<PageOptions, 'colorScheme' | 'scrollBars'>;

export const startChromium = () =>
  createEngine(({ scrollBars }) =>
    launchBrowser(
      undefined,
      scrollBars === 'classic' ? { ignoreDefaultArgs: ['--hide-scrollbars'] } : {},
    ),
  );

export function startFirefox(): Promise<Engine> {
  const { program: executablePath } = requireSoftware(optionalSoftware.firefox);
  skipUnknownCommand();
  return createEngine(({ colorScheme, scrollBars }) =>
    firefox.launch({
      channel: 'moz-firefox',
      executablePath,
      firefoxUserPrefs: {
        'layout.css.prefers-color-scheme.content-override': colorScheme === 'dark' ? 0 : 1,
        'widget.gtk.overlay-scrollbars.enabled': scrollBars === 'overlay',
        'ui.useOverlayScrollbars': scrollBars === 'overlay' ? 1 : 0,
      },
    }),
  );
}

/**
 * Playwright sets the colour scheme of each page with a command that Firefox does not know, and
 * gives up. Here it sends one without effect instead: the colour scheme is that of Firefox's
 * settings.
 */
function skipUnknownCommand() {
  type Message = { method: string; params?: object };
  type Transport = { send: (this: Transport, message: Message) => void };
  const { server } = createRequire(import.meta.url)('playwright-core/lib/coreBundle') as {
    server: { WebSocketTransport: { prototype: Transport } };
  };
  const { prototype } = server.WebSocketTransport;
  const { send } = prototype;
  prototype.send = function sendKnown(message) {
    const isUnknown = message.method === 'emulation.setMediaFeaturesOverride';
    send.call(this, isUnknown ? { ...message, method: 'session.status', params: {} } : message);
  };
}

/** Launches one browser for each look that the stories ask for. */
async function createEngine(launch: (look: Look) => Promise<Browser>): Promise<Engine> {
  const browsers = new Map<string, Promise<Browser>>();
  return {
    async open({ width, height, colorScheme, scrollBars }) {
      const look = `${colorScheme} ${scrollBars}`;
      if (!browsers.has(look)) browsers.set(look, launch({ colorScheme, scrollBars }));
      const browser = await browsers.get(look)!;
      const context = await browser.newContext({ viewport: { width, height }, colorScheme });
      context.setDefaultTimeout(longWaitMs);
      const page = await context.newPage();
      return {
        // Firefox reports no later step of a navigation that is not finished yet.
        goto: async (url) => void (await page.goto(url, { waitUntil: 'commit' })),
        reload: async () => void (await page.reload({ waitUntil: 'commit' })),
        evaluate: <Result, Argument>(run: (argument: Argument) => Result, argument?: Argument) =>
          page.evaluate(run as (argument: unknown) => Result, argument) as Promise<Awaited<Result>>,
        // By CSS: Firefox crashes when Playwright finds elements by role after a reload.
        click: (selector) => page.locator(selector).click(),
        type: (text) => page.keyboard.type(text),
        press: (key) => page.keyboard.press(key),
        undo: () => page.keyboard.press('ControlOrMeta+z'),
        async wheel(pixels) {
          await page.mouse.move(width / 2, height / 2);
          await page.mouse.wheel(0, pixels);
        },
        cookies: async () =>
          (await context.cookies()).map(
            ({ name, httpOnly }) => `${name}${httpOnly ? ' (http only)' : ''}`,
          ),
        close: () => context.close(),
      };
    },
    async stop() {
      await Promise.all([...browsers.values()].map(async (browser) => (await browser).close()));
    },
  };
}
