import { expect, test } from 'vitest';
import { projectOf, textNames } from '../../../testing/projects.ts';
import type { Setting } from '../setting/setting.ts';

export function testTypedTextAfterReturn({ open, registerUser }: Setting) {
  test('a form has all its texts after a return from another page and after reloads, also before the scripts run, until the project is created [CHOICE-96]', async () => {
    const email = await registerUser();
    const { page, server } = await open();
    await page.openScreen(server.address, '/login');
    await page.fillCredentials(email);
    await page.press('Enter');
    await page.waitForScreen('/projects');
    const expectTexts = async (text: string) =>
      await expect
        .poll(() => Promise.all(textNames.map((name) => page.value(name))))
        .toEqual(textNames.map(() => text));
    const reload = async () => {
      await page.evaluate(() => void Object.assign(window, { isOld: true }));
      await page.reload();
      await expect.poll(() => page.evaluate(() => 'isOld' in window)).toBe(false);
      await page.waitForScreen('/projects');
    };

    await page.createProject(projectOf(() => 'First'));
    await page.waitForText('main li', 'First');
    for (const field of textNames) await page.replaceText(field, 'Typed');
    await page.goto('about:blank');
    await expect.poll(() => page.evaluate(() => location.href)).toBe('about:blank');
    await page.evaluate(() => void setTimeout(() => history.back()));
    await page.waitForScreen('/projects');
    await page.waitForApp();
    await expectTexts('Typed');
    await reload();
    await page.waitForApp();
    await expectTexts('Typed');

    server.holdScripts();
    await reload();
    await expectTexts('Typed');
    for (const field of textNames) await page.replaceText(field, 'Typed early');
    await reload();
    await expectTexts('Typed early');
    server.releaseScripts();
    await page.waitForApp();
    await expectTexts('Typed early');

    await page.click('form [type=submit]');
    await page.waitForText('main li', 'Typed early');
    await reload();
    await page.waitForApp();
    await expectTexts('');
  });
}
