import { expect, test } from 'vitest';
import { accountPassword } from '../setting/app-page.ts';
import { operationTable } from '../../../generated/operations.ts';
import { windowTitle } from '../../../shared/routes.ts';
import { newProject, projectWithText, textNames } from '../../../testing/projects.ts';
import type { Setting } from '../setting/setting.ts';

export function testCreateProjects({ open, newEmail }: Setting) {
  test('a user registers, is refused, signs in and creates two projects, which are there after a reload', async () => {
    const email = newEmail();
    const { page, server } = await open();
    await page.openScreen(server.address, '/');
    await page.click('header a[href$="/register"]');
    await page.waitForScreen('/register');
    await page.fillCredentials(email);
    await page.click('form [type=submit]');
    await page.waitForScreen('/login');
    expect(await page.hash()).toBe('#/login');

    await page.fillCredentials(email, 'another password');
    await page.click('form [type=submit]');
    await page.waitForText('[role=alert]', 'The email or the password is not right.');
    await page.replaceText('password', accountPassword);
    await page.click('form [type=submit]');
    await page.waitForText('main section', 'No projects to show.');
    expect(await page.hash()).toBe('#/projects');

    const projects = [newProject(), projectWithText('<b>Bold</b> & "quoted"')];
    for (const [index, project] of projects.entries()) {
      await page.createProject(project);
      await expect.poll(() => page.count('main li')).toBe(index + 1);
      await expect.poll(() => page.value('title')).toBe('');
    }
    const xsrfToken = await page.evaluate(() => /XSRF-TOKEN=([^;]*)/.exec(document.cookie)?.[1]);
    const creates = server.requests.filter(
      ({ method, path }) => method === 'POST' && path === operationTable.createProject.path,
    );
    expect(creates.map(({ headers }) => headers['x-xsrf-token'])).toEqual([xsrfToken, xsrfToken]);
    expect(creates.map(({ headers }) => /\bsession=/.test(headers.cookie ?? ''))).toEqual([
      true,
      true,
    ]);

    await page.reload();
    for (const name of textNames) {
      await expect
        .poll(() => page.texts(`main li [data-field=${name}]`))
        .toEqual(projects.map((project) => project[name]));
    }
    expect(await page.evaluate(() => document.title)).toBe(windowTitle('/projects'));
  });
}
