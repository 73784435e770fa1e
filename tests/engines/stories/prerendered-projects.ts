import { expect, test } from 'vitest';
import { fieldSelector, accountPassword } from '../setting/app-page.ts';
import type { Setting } from '../setting/setting.ts';

export function testPrerenderedProjects({ openPrerendered, registerUser }: Setting) {
  test('the app keeps each element of the prerendered projects, and a long text in the form', async () => {
    const email = await registerUser(3);
    const { page, server, takeOver } = await openPrerendered('/about');
    const status = await page.evaluate(
      async (body) => {
        const headers = { 'content-type': 'application/json' };
        return (await fetch('/api/v1/auth/login', { method: 'POST', headers, body })).status;
      },
      JSON.stringify({ email, password: accountPassword }),
    );
    expect(status).toBe(200);
    await page.click('header a[href$="/projects"]');
    await expect.poll(() => page.count('main li')).toBe(3);
    const marked = await page.markElements();
    await page.click(fieldSelector('description'));
    await page.type('New ges.');
    for (let presses = 0; presses < 4; presses++) await page.press('ArrowLeft');
    await page.evaluate(() => {
      document.querySelector('textarea')!.style.height = '300px';
    });
    await takeOver();
    await page.type('pa');
    expect(await page.value('description')).toBe('New pages.');
    expect(await page.keptElements()).toBe(marked);
    expect(await page.evaluate(() => document.querySelector('textarea')!.offsetHeight)).toBe(300);
    const lists = server.requests.filter(({ path }) => path === '/api/v1/projects');
    expect(lists).toHaveLength(1);
  });
}
