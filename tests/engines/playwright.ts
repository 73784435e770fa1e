import { createRequire } from 'node:module';
import { firefox, type Browser, type Page } from 'playwright-core';
import { launchBrowser } from '../../tools/chromium.ts';
import { requireSoftware } from '../../tools/optional-software.ts';
import { longWaitMs } from '../../testing/time-limits.ts';
import type { Engine, Look } from './setting/page.ts';

export const startChromium = () =>
  createEngine((look) =>
    launchBrowser({
      // A key that is pressed in the last pixels of a smooth scroll has no effect in Chromium.
      args: ['--disable-smooth-scrolling'],
      ...(look === 'dark' && { ignoreDefaultArgs: ['--hide-scrollbars'] }),
    }),
  );

export function startFirefox(): Promise<Engine> {
  const executablePath = requireSoftware('firefox');
  skipUnknownCommand();
  return createEngine((look) =>
    firefox.launch({
      channel: 'moz-firefox',
      executablePath,
      firefoxUserPrefs: {
        'layout.css.prefers-color-scheme.content-override': look === 'dark' ? 0 : 1,
        'widget.gtk.overlay-scrollbars.enabled': look === 'light',
        'ui.useOverlayScrollbars': look === 'light' ? 1 : 0,
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

/** Launches a browser with one page for each look that the stories ask for. */
async function createEngine(launch: (look: Look) => Promise<Browser>): Promise<Engine> {
  const pages = new Map<Look, Promise<Page>>();
  const launchPage = async (look: Look) => {
    const context = await (await launch(look)).newContext({ colorScheme: look });
    context.setDefaultTimeout(longWaitMs);
    return context.newPage();
  };
  return {
    async open({ width, height, look }) {
      if (!pages.has(look)) pages.set(look, launchPage(look));
      const page = await pages.get(look)!;
      await page.goto('about:blank');
      await page.context().clearCookies();
      await page.setViewportSize({ width, height });
      return {
        // Firefox reports no later step of a navigation that is not finished yet.
        goto: async (url) => void (await page.goto(url, { waitUntil: 'commit' })),
        reload: async () => void (await page.reload({ waitUntil: 'commit' })),
        resize: (newWidth, newHeight) =>
          page.setViewportSize({ width: newWidth, height: newHeight }),
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
      };
    },
    async stop() {
      await Promise.all(
        [...pages.values()].map(async (page) => (await page).context().browser()?.close()),
      );
    },
  };
}
