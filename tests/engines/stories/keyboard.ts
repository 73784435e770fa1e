import { expect, test } from 'vitest';
import { accountPassword } from '../setting/app-page.ts';
import type { BrowserPage } from '../setting/page.ts';
import type { Setting } from '../setting/setting.ts';

export function testKeyboard({ open, registerUser }: Setting) {
  test('a user with a keyboard alone signs in and creates a project', async () => {
    const email = await registerUser();
    const { page, server } = await open();
    await page.openScreen(server.address, '/');
    const stops = [];
    for (let presses = 0; presses < 5; presses++) {
      await page.press('Tab');
      stops.push(await page.evaluate(() => document.activeElement?.textContent));
      expect(await hasFocusRing(page)).toBe(true);
    }
    expect(stops).toEqual(['Home', 'About', 'Projects', 'Sign up', 'Sign in']);
    await page.press('Enter');
    await page.waitForHeading('Sign in');
    await expect.poll(() => page.focused()).toBe('Sign in');
    await page.press('Tab');
    await expect.poll(() => page.focused()).toBe('email');
    expect(await hasFocusRing(page)).toBe(true);
    await page.type(email);
    await page.press('Tab');
    await page.press('Tab');
    expect(await page.focused()).toBe('Sign in');
    await page.press('Enter');
    await page.waitForText('form', 'Password is required');
    await expect.poll(() => page.focused()).toBe('password');
    await page.type(accountPassword);
    await page.press('Enter');
    await page.waitForHeading('New Project');
    await page.waitForText('main section', 'No projects to show.');
    await expect.poll(() => page.focused()).toBe('New Project');
    await page.press('Tab');
    await page.type('Website');
    await page.press('Tab');
    await page.type('New pages.');
    await page.press('Shift+Tab');
    expect(await page.focused()).toBe('title');
    await page.press('Enter');
    await page.waitForText('main li', 'Website');
    await expect.poll(() => page.focused()).toBe('title');
    expect(await page.value('title')).toBe('');
  });
}

const hasFocusRing = (page: BrowserPage) =>
  page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle === 'solid');
