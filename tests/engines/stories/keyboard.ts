import { expect, test } from 'vitest';
import { accountPassword } from '../setting/app-page.ts';
import { forms } from '../../../shared/forms.ts';
import { headerRoutes, screens } from '../../../shared/routes.ts';
import { newProject, textNames } from '../../../testing/projects.ts';
import type { BrowserPage } from '../setting/page.ts';
import type { Setting } from '../setting/setting.ts';

export function testKeyboard({ open, registerUser }: Setting) {
  test('a user with a keyboard alone signs in and creates a project', async () => {
    const email = await registerUser();
    const { page, server } = await open();
    await page.openScreen(server.address, '/');
    const stops = [];
    for (let presses = 0; presses < headerRoutes.length; presses++) {
      await page.press('Tab');
      stops.push(await page.evaluate(() => document.activeElement?.textContent));
      expect(await hasFocusRing(page)).toBe(true);
    }
    expect(stops).toEqual(headerRoutes.map((route) => screens[route].title));
    await page.press('Enter');
    await page.waitForScreen('/login');
    await expect.poll(() => page.focused()).toBe(screens['/login'].heading);
    await page.press('Tab');
    await expect.poll(() => page.focused()).toBe('email');
    expect(await hasFocusRing(page)).toBe(true);
    await page.type(email);
    await page.press('Tab');
    await page.press('Tab');
    expect(await page.focused()).toBe(forms.login.button);
    await page.press('Enter');
    await page.waitForText('form', 'Password is required');
    await expect.poll(() => page.focused()).toBe('password');
    await page.type(accountPassword);
    await page.press('Enter');
    await page.waitForScreen('/projects');
    await page.waitForText('main section', 'No projects to show.');
    await expect.poll(() => page.focused()).toBe(screens['/projects'].heading);
    for (const text of Object.values(newProject())) {
      await page.press('Tab');
      await page.type(text);
    }
    for (const _ of textNames.slice(1)) await page.press('Shift+Tab');
    expect(await page.focused()).toBe('title');
    await page.press('Enter');
    await page.waitForText('main li', newProject().title);
    await expect.poll(() => page.focused()).toBe('title');
    expect(await page.value('title')).toBe('');
  });
}

const hasFocusRing = (page: BrowserPage) =>
  page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle === 'solid');
