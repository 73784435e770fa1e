import { expect, test } from 'vitest';
import { routes } from '../../../shared/routes.ts';
import type { Setting } from '../setting/setting.ts';

export function testNarrowWindow({ open, registerUser }: Setting) {
  test.each([
    ['a classic', 'dark', true],
    ['an overlay', 'light', false],
  ] as const)(
    'at 320 px with %s scroll bar nothing scrolls sideways, and the header has two rows',
    async (_, look, takesRoom) => {
      // So low that every screen scrolls.
      const { page, server } = await open({ width: 320, height: 200, look });
      for (const path of routes) {
        await page.openScreen(server.address, path);
        const { width, room, needed, boxes } = await page.evaluate(() => ({
          width: innerWidth,
          room: document.documentElement.clientWidth,
          needed: document.documentElement.scrollWidth,
          boxes: [...document.querySelectorAll('header svg, header a')].map((element) => {
            const { top, bottom } = element.getBoundingClientRect();
            return { top, bottom };
          }),
        }));
        // A row starts with each element that is below all before it.
        const rows = boxes.filter(({ top }, index) =>
          boxes.slice(0, index).every(({ bottom }) => bottom <= top),
        ).length;
        expect({ path, width, takesRoom: room < width, scrolls: needed > room, rows }).toEqual({
          path,
          width: 320,
          takesRoom,
          scrolls: false,
          rows: 2,
        });
      }
    },
  );

  test('in a page of 400 % zoom an error is in view, and a refusal is scrolled into view, unless the user has scrolled since [CHOICE-116]', async () => {
    const email = await registerUser();
    const { page, server } = await open({ width: 320, height: 256 });
    await page.openScreen(server.address, '/login');
    await page.evaluate(() => {
      const send = window.fetch.bind(window);
      window.fetch = async (...request) => {
        document.body.classList.add('sent');
        await new Promise((resolve) => addEventListener('answer', resolve, { once: true }));
        document.body.classList.remove('sent');
        return send(...request);
      };
    });
    const top = () => page.evaluate(() => scrollY);
    const submit = async () => {
      await page.fillCredentials(email, 'another password');
      await page.press('Enter');
      await expect.poll(() => page.count('body.sent')).toBe(1);
    };
    const answer = async () => {
      await page.evaluate(() => dispatchEvent(new Event('answer')));
      await expect.poll(() => page.count('[type=submit][aria-busy=false]')).toBe(1);
      expect(await page.count('[role=alert]')).toBe(1);
    };
    await page.fillCredentials(email, 'short');
    await page.press('Enter');
    await page.waitForText('form', 'Password must be at least 8 characters');
    expect(await page.isInViewport('form p:not(:empty)')).toBe(true);
    await submit();
    const topOfForm = await top();
    await page.wheel(1000);
    await expect.poll(top).toBeGreaterThan(topOfForm);
    await answer();
    expect(await page.isInViewport('[role=alert]')).toBe(false);
    await submit();
    await answer();
    expect(await page.isInViewport('[role=alert]')).toBe(true);
  });
}
