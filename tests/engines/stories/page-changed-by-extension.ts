import { expect, test } from 'vitest';
import { wrapTexts } from '../../../testing/translator.ts';
import { accountPassword } from '../setting/app-page.ts';
import type { Setting } from '../setting/setting.ts';
import { screens } from '../../../shared/routes.ts';

export function testPageChangedByExtension({ open, registerUser }: Setting) {
  test.each<[string, () => void]>([
    [
      'wraps the form',
      () => {
        const form = document.querySelector('form')!;
        const wrapper = document.createElement('div');
        form.replaceWith(wrapper);
        wrapper.append(form);
      },
    ],
    [
      'adds nodes and removes others',
      () => {
        for (const element of document.querySelectorAll('h1, form p, form span')) {
          element.before(document.createElement('font'));
          element.remove();
        }
        const form = document.querySelector('form')!;
        form.replaceWith(form);
        form.parentElement!.append(form);
        form.remove();
        document.querySelector('main')!.append(form);
      },
    ],
    ['wraps each text', wrapTexts],
  ])(
    'a user loses no text if an extension %s and React cannot change the page any more',
    async (_, change) => {
      const email = await registerUser();
      const { page, server } = await open();
      await page.openScreen(server.address, '/login');
      await page.fillCredentials(email, 'another password');
      await page.evaluate(change);
      await page.click('form [type=submit]');
      await page.waitForText('[role=alert]', 'The email or the password is not right.');
      expect(await page.texts('h1')).toEqual([screens['/login'].heading]);
      expect([await page.value('email'), await page.value('password')]).toEqual([
        email,
        'another password',
      ]);
      await page.replaceText('password', accountPassword);
      await page.press('Enter');
      await page.waitForScreen('/projects');
    },
  );
}
