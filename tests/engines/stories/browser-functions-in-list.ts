import { expect, test } from 'vitest';
import { rowSelector } from '../setting/app-page.ts';
import type { Setting } from '../setting/setting.ts';

export function testBrowserFunctionsInList({ registerUser, openProjects }: Setting) {
  test('in a list of 300, the browser finds a row, End and Home go to the last and the first, and a selection has each title [CHOICE-57]', async () => {
    const page = await openProjects(await registerUser(300));
    expect(await page.evaluate(find, 'Project number 290')).toBe(true);
    await expect.poll(() => page.isInViewport(rowSelector(290))).toBe(true);
    await page.click('main h2');
    await page.press('End');
    await expect.poll(() => page.isInViewport(rowSelector(300))).toBe(true);
    await expect.poll(() => page.evaluate(isAtEnd)).toBe(true);
    await page.press('Home');
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
    const selected = await page.evaluate(
      ([first, last]) => {
        const [start, end] = [document.querySelector(first!)!, document.querySelector(last!)!];
        getSelection()!.setBaseAndExtent(start, 0, end, 1);
        return String(getSelection()).match(/Project number \d+$/gm);
      },
      [5, 290].map((position) => `${rowSelector(position)} [data-field=title]`),
    );
    expect(selected).toEqual(Array.from({ length: 286 }, (_, i) => `Project number ${5 + i}`));
  });
}

const isAtEnd = () => scrollY + innerHeight > document.documentElement.scrollHeight - 2;

/** Searches as the find bar does. Returns whether the text was found. */
const find = (text: string) => (window as unknown as { find(text: string): boolean }).find(text);
