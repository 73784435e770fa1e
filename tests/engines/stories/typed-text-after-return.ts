import { expect, test } from 'vitest';
import type { Setting } from '../setting/setting.ts';
import { textNames } from '../../../testing/projects.ts';

export function testTypedTextAfterReturn({ registerUser, openProjects }: Setting) {
  test('a form has all texts or none after the user came back from another page, and none after a reload [CHOICE-96]', async () => {
    const page = await openProjects(await registerUser());
    const fieldValues = () => Promise.all(textNames.map((name) => page.value(name)));
    for (const field of textNames) await page.replaceText(field, 'Typed');
    await page.goto('about:blank');
    await expect.poll(() => page.evaluate(() => location.href)).toBe('about:blank');
    await page.evaluate(() => void setTimeout(() => history.back()));
    await page.waitForScreen('/projects');
    await page.waitForApp();
    expect(new Set(await fieldValues()).size).toBe(1);
    await page.evaluate(() => void Object.assign(window, { isOld: true }));
    await page.reload();
    await expect.poll(() => page.evaluate(() => 'isOld' in window)).toBe(false);
    await page.waitForScreen('/projects');
    await page.waitForApp();
    expect(await fieldValues()).toEqual(textNames.map(() => ''));
  });
}
