import { expect, test } from 'vitest';
import { fieldSelector } from '../setting/app-page.ts';
import type { Setting } from '../setting/setting.ts';

export function testWritingDirection({ registerUser, openProjects }: Setting) {
  test('a project starts on the side where its language starts, in the form and in the list', async () => {
    const page = await openProjects(await registerUser());
    const projects = [
      { title: 'English', side: 'left' },
      { title: 'עברית', side: 'right' },
      { title: 'العربية', side: 'right' },
    ];
    for (const [index, { title, side }] of projects.entries()) {
      await page.click(fieldSelector('title'));
      await page.type(title);
      const direction = await page.evaluate(
        () => getComputedStyle(document.querySelector('form [name=title]')!).direction,
      );
      expect(direction).toBe(side === 'left' ? 'ltr' : 'rtl');
      await page.click(fieldSelector('description'));
      await page.type(title);
      await page.click('form button');
      await expect.poll(() => page.count('main li')).toBe(index + 1);
      await expect.poll(() => page.value('title')).toBe('');
    }
    expect(await page.texts('main li [data-field=title]')).toEqual(
      projects.map(({ title }) => title),
    );
    for (const selector of ['main li [data-field=title]', 'main li [data-field=description]']) {
      const sides = await page.evaluate(
        (css) =>
          [...document.querySelectorAll(css)].map((element) => {
            const range = document.createRange();
            range.selectNodeContents(element);
            const text = range.getBoundingClientRect();
            const box = element.closest('[dir]')!.getBoundingClientRect();
            return text.left - box.left < box.right - text.right ? 'left' : 'right';
          }),
        selector,
      );
      expect([selector, ...sides]).toEqual([selector, ...projects.map(({ side }) => side)]);
    }
  });
}
