import { expect, test } from 'vitest';
import { fieldSelector } from '../setting/app-page.ts';
import type { BrowserPage } from '../setting/page.ts';
import type { Setting } from '../setting/setting.ts';

export function testColoursAndFieldErrors({ open }: Setting) {
  test.each(['light', 'dark'] as const)(
    'the page and its banner have the colours of the %s theme, and fields a message and a red border until they are right',
    async (look) => {
      const { page, server } = await open({ look });
      await page.openScreen(server.address, '/login');
      const brightness = async (selector: string, property: string) => {
        const channels = await rgb(page, selector, property);
        return channels.reduce((sum, channel) => sum + channel, 0) / channels.length;
      };
      const background = await brightness('body', 'background-color');
      const text = await brightness('body', 'color');
      expect(look === 'light' ? background - text : text - background).toBeGreaterThan(150);
      await page.fillCredentials('ada', 'short');
      await page.click('form [type=submit]');
      await page.waitForText('form', 'Invalid email address');
      await page.waitForText('form', 'Password must be at least 8 characters');
      for (const field of ['email', 'password']) {
        expect(await isRed(page, fieldSelector(field), 'border-top-color')).toBe(true);
      }
      expect(server.requests.filter(({ method }) => method === 'POST')).toEqual([]);
      await page.fillCredentials('ada@example.org');
      await expect.poll(() => page.count('[aria-invalid=true]')).toBe(0);
      for (const field of ['email', 'password']) {
        expect(await isRed(page, fieldSelector(field), 'border-top-color')).toBe(false);
      }
      await page.click('form [type=submit]');
      await page.waitForText('[role=alert]', 'The email or the password is not right.');
      expect(await isRed(page, '[role=alert]', 'background-color')).toBe(true);
    },
  );
}

/** Returns a colour as red, green and blue, each 0 to 255. */
async function rgb(page: BrowserPage, selector: string, property: string) {
  const color = await page.evaluate(
    ([css, name]) => getComputedStyle(document.querySelector(css)!).getPropertyValue(name),
    [selector, property] as const,
  );
  return (color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
}

async function isRed(page: BrowserPage, selector: string, property: string) {
  const [red = 0, green = 0, blue = 0] = await rgb(page, selector, property);
  return red > 150 && red > green * 1.5 && red > blue * 1.5;
}
