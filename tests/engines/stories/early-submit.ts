import { expect, test } from 'vitest';
import type { Setting } from '../setting/setting.ts';

export function testEarlySubmit({ openPrerendered, registerUser }: Setting) {
  test('a form that was submitted twice before the app has loaded is sent once, and its elements are kept', async () => {
    const email = await registerUser();
    const { page, server, takeOver } = await openPrerendered('/register');
    const marked = await page.markElements();
    await page.fillCredentials(email);
    await page.click('form [type=submit]');
    await expect.poll(() => page.count('button[aria-busy=true]')).toBe(1);
    await page.press('Enter');
    await takeOver();
    const posts = () => server.requests.filter(({ method }) => method === 'POST').length;
    await expect.poll(posts).toBe(1);
    // The email is taken, so the screen stays.
    await expect.poll(() => page.count('button[aria-busy=false]')).toBe(1);
    expect(await page.keptElements()).toBe(marked);
    expect([posts(), await page.value('email')]).toEqual([1, email]);
  });
}
