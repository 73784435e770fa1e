import { expect, test } from 'vitest';
import { operationTable } from '../../../generated/operations.ts';
import { credentialsOf } from '../../../testing/credentials.ts';
import { textNames } from '../../../testing/projects.ts';
import { fieldSelector } from '../setting/app-page.ts';
import type { Setting } from '../setting/setting.ts';

export function testPrerenderedProjects({ openPrerendered, registerUser }: Setting) {
  test('the app keeps each element of the prerendered projects, and a long text in the form', async () => {
    const email = await registerUser(3);
    const { page, server, takeOver } = await openPrerendered('/about');
    const status = await page.evaluate(
      async ([path, body]) => {
        const headers = { 'content-type': 'application/json' };
        return (await fetch(path!, { method: 'POST', headers, body: body! })).status;
      },
      [operationTable.login.path, JSON.stringify(credentialsOf(email))],
    );
    expect(status).toBe(200);
    await page.click('header a[href$="/projects"]');
    await expect.poll(() => page.count('main li')).toBe(3);
    const marked = await page.markElements();
    const name = textNames.at(-1)!;
    const selector = fieldSelector(name);
    await page.click(selector);
    await page.type('New ges.');
    for (let presses = 0; presses < 4; presses++) await page.press('ArrowLeft');
    await page.evaluate((css) => {
      document.querySelector<HTMLElement>(css)!.style.height = '300px';
    }, selector);
    await takeOver();
    await page.type('pa');
    expect(await page.value(name)).toBe('New pages.');
    expect(await page.keptElements()).toBe(marked);
    const heightOf = (css: string) => document.querySelector<HTMLElement>(css)!.offsetHeight;
    expect(await page.evaluate(heightOf, selector)).toBe(300);
    const lists = server.requests.filter(({ path }) => path === operationTable.listProjects.path);
    expect(lists).toHaveLength(1);
  });
}
