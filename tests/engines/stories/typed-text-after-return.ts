import { expect, test } from 'vitest';
import type { Setting } from '../setting/setting.ts';

export function testTypedTextAfterReturn({ registerUser, openProjects }: Setting) {
  test('a form has both texts or neither after the user came back from another page, and none after a reload [CHOICE-96]', async () => {
    const page = await openProjects(await registerUser());
    const fieldValues = async () => [await page.value('title'), await page.value('description')];
    for (const field of ['title', 'description']) await page.replaceText(field, 'Typed');
    await page.goto('about:blank');
    await expect.poll(() => page.evaluate(() => location.href)).toBe('about:blank');
    await page.evaluate(() => void setTimeout(() => history.back()));
    await page.waitForHeading('New Project');
    await page.waitForApp();
    const [title, description] = await fieldValues();
    expect(description).toBe(title);
    await page.evaluate(() => void Object.assign(window, { isOld: true }));
    await page.reload();
    await expect.poll(() => page.evaluate(() => 'isOld' in window)).toBe(false);
    await page.waitForHeading('New Project');
    await page.waitForApp();
    expect(await fieldValues()).toEqual(['', '']);
  });
}
