import { expect, test } from 'vitest';
import { operationTable } from '../../../generated/operations.ts';
import type { Setting } from '../setting/setting.ts';

export function testBasicCredentials({ open, registerUser }: Setting) {
  // One screen of each chunk. Not the projects: Chromium and WebKit forget the credentials when the
  // backend refuses a visitor with 401.
  test.each(['/', '/login'] as const)(
    'the app works on %s with the credentials of HTTP Basic in the address',
    async (route) => {
      const email = await registerUser(1);
      const { page, server } = await open({}, 'reader:secret');
      await page.openScreen(server.address, route);
      await page.waitForScreen(route);
      await page.click('header a[href$="/login"]');
      await page.fillCredentials(email);
      await page.click('form [type=submit]');
      await page.waitForScreen('/projects');
      await expect.poll(() => page.count('main li')).toBe(1);
      await page.createProject();
      await expect.poll(() => page.texts('main li [data-field=title]')).toHaveLength(2);
      const posts = server.requests.filter(({ method }) => method === 'POST');
      expect(posts.map(({ path }) => path)).toEqual([
        operationTable.login.path,
        operationTable.createProject.path,
      ]);
    },
  );
}
