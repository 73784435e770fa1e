import { expect, test } from 'vitest';
import { accountPassword } from '../setting/app-page.ts';
import type { Setting } from '../setting/setting.ts';

export function testCreateProjects({ open, newEmail }: Setting) {
  test('a user registers, is refused, signs in and creates two projects, which are there after a reload', async () => {
    const email = newEmail();
    const { page, server } = await open();
    await page.openScreen(server.address, '/');
    await page.click('header a[href$="/register"]');
    await page.waitForHeading('Create an account');
    await page.fillCredentials(email);
    await page.click('form button');
    await page.waitForHeading('Sign in');
    expect(await page.hash()).toBe('#/login');

    await page.fillCredentials(email, 'another password');
    await page.click('form button');
    await page.waitForText('[role=alert]', 'The email or the password is not right.');
    expect(await page.cookies()).toEqual([]);
    await page.replaceText('password', accountPassword);
    await page.click('form button');
    await page.waitForText('main section', 'No projects to show.');
    expect(await page.hash()).toBe('#/projects');
    expect((await page.cookies()).toSorted()).toEqual([
      'XSRF-TOKEN',
      'tracker-session (http only)',
    ]);

    const projects = [
      ['Website relaunch', 'New pages.'],
      ['<b>Bold</b> & "quoted"', 'Second line'],
    ] as const;
    for (const [index, [title, description]] of projects.entries()) {
      await page.createProject(title, description);
      await expect.poll(() => page.count('main li')).toBe(index + 1);
      await expect.poll(() => page.value('title')).toBe('');
    }
    const xsrfToken = await page.evaluate(() => /XSRF-TOKEN=([^;]*)/.exec(document.cookie)?.[1]);
    const creates = server.requests.filter(
      ({ method, path }) => method === 'POST' && path === '/api/v1/projects',
    );
    expect(creates.map(({ headers }) => headers['x-xsrf-token'])).toEqual([xsrfToken, xsrfToken]);
    expect(creates.map(({ headers }) => /\bsession=/.test(headers.cookie ?? ''))).toEqual([
      true,
      true,
    ]);

    await page.reload();
    await expect
      .poll(() => page.texts('main li [data-field=title]'))
      .toEqual(projects.map(([title]) => title));
    await expect
      .poll(() => page.texts('main li [data-field=description]'))
      .toEqual(projects.map(([, description]) => description));
    expect(await page.evaluate(() => document.title)).toBe('Projects · Tracker App');
  });
}
