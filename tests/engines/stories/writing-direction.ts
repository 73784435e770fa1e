import { expect, test } from 'vitest';
import { fieldSelector } from '../setting/app-page.ts';
import type { Setting } from '../setting/setting.ts';
import { textNames } from '../../../testing/projects.ts';

export function testWritingDirection({ registerUser, openProjects }: Setting) {
  test('a project starts on the side where its language starts, in the form and in the list', async () => {
    const page = await openProjects(await registerUser());
    const projects = [
      { text: 'English', side: 'left' },
      { text: 'עברית', side: 'right' },
      { text: 'العربية', side: 'right' },
    ];
    for (const [index, { text, side }] of projects.entries()) {
      for (const selector of textNames.map(fieldSelector)) {
        await page.click(selector);
        await page.type(text);
        const direction = await page.evaluate(
          (css) => getComputedStyle(document.querySelector(css)!).direction,
          selector,
        );
        expect(direction).toBe(side === 'left' ? 'ltr' : 'rtl');
      }
      await page.click('form [type=submit]');
      await expect.poll(() => page.count('main li')).toBe(index + 1);
      await expect.poll(() => page.value('title')).toBe('');
    }
    for (const name of textNames) {
      const selector = `main li [data-field=${name}]`;
      expect(await page.texts(selector)).toEqual(projects.map(({ text }) => text));
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
