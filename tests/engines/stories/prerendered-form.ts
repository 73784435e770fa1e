import { expect, test } from 'vitest';
import { fieldSelector, accountPassword } from '../setting/app-page.ts';
import type { Setting } from '../setting/setting.ts';

export function testPrerenderedForm({ openPrerendered, registerUser }: Setting) {
  test('the app keeps each element of a prerendered form, and what the user does to it', async () => {
    const email = await registerUser();
    const { page, takeOver } = await openPrerendered('/login');
    const marked = await page.markElements();
    await page.click(fieldSelector('email'));
    await page.type(email.slice(1));
    await page.press('Home');
    await expect.poll(() => page.focused()).toBe('email');
    await takeOver();
    await page.type(email.slice(0, 1));
    expect(await page.value('email')).toBe(email);
    expect(await page.keptElements()).toBe(marked);
    expect(await page.texts('[aria-invalid=true]')).toEqual([]);
    await page.press('Tab');
    await page.type(accountPassword);
    await page.press('Enter');
    await page.waitForText('main section', 'No projects to show.');
  });
}
