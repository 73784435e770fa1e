import { readFile, readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Page, Request, Route as Held } from 'playwright-core';
import { waitForApp } from '../../model/browser-driver.ts';
import { callOf, type Call } from '../../model/outcomes.ts';
import { forms, screens, type Driver } from '../../model/driver.ts';
import { give } from '../model/processes/browser-driver.ts';

const origin = 'http://app.test';

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.png': 'image/png',
};

/** What a person has before them, as far as a scene needs to wait for it. */
export type View = {
  path: string;
  heading?: string | undefined;
  banner?: string | undefined;
  /** Whether the form's call is under way; `undefined` where there is no form. */
  busy?: boolean | undefined;
  /** What stands in its fields. */
  values?: string[] | undefined;
  /** Whether the list is on its way. */
  loading?: boolean | undefined;
};

export type Stage = Pick<Driver, 'go' | 'submit' | 'answer'> & {
  page: Page;
  /** Loads the app anew, on a path that may be none of its own. */
  start: (path: string) => Promise<void>;
  /** Comes to a path from another one, without loading the app. */
  visit: (path: string) => Promise<void>;
  /** Resolves when the page is as it should be; fails, with what differs, when it does not become so. */
  until: (view: View) => Promise<void>;
};

/**
 * The app as it was built into `dist/`, on a page, before a backend that answers only when it is told to. One stage serves any
 * number of scenes, one after another.
 */
export async function openStage(page: Page): Promise<Stage> {
  const files = new Map(
    await Promise.all(
      (await readdir('dist', { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map(async ({ parentPath, name }): Promise<[string, Buffer]> => {
          const path = join(parentPath, name);
          return [path.slice('dist'.length), await readFile(path)];
        }),
    ),
  );
  let waiting: { call: Call; held: Held; request: Request }[] = [];
  let arrived = () => {};
  let loads = 0;

  await page.route(`${origin}/**`, async (held, request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/')) {
      waiting.push({ call: callOf(request.method(), request.url()), held, request });
      arrived();
      return;
    }
    const path = pathname === '/' ? '/index.html' : pathname;
    const body = files.get(path);
    const contentType = types[extname(path)] ?? 'application/octet-stream';
    await (body ? held.fulfill({ contentType, body }) : held.fulfill({ status: 404 }));
  });
  page.on('requestfailed', (request) => {
    waiting = waiting.filter((each) => each.request !== request);
  });

  /** The newest of these calls: older ones were given up. */
  async function next(call: Call): Promise<Held> {
    for (;;) {
      const index = waiting.findLastIndex((each) => each.call === call);
      const [found] = index === -1 ? [] : waiting.splice(index, 1);
      if (found) return found.held;
      await new Promise<void>((resolve) => (arrived = resolve));
    }
  }

  return {
    page,
    async start(path) {
      waiting = [];
      // A query that is new makes it a page that is new: a fragment alone does not.
      await page.goto(`${origin}/?${++loads}#${path}`);
      await waitForApp(page);
    },
    async visit(path) {
      await page.evaluate(() => (location.hash = '#/about'));
      await page.waitForFunction(isSeen, { path: '/about', heading: 'About Page' });
      waiting = [];
      await page.evaluate((to) => (location.hash = `#${to}`), path);
      await page.waitForFunction(() => document.querySelector('h1')?.textContent !== 'About Page');
    },
    async until(view) {
      try {
        await page.waitForFunction(isSeen, view);
      } catch {
        const shown = await page.locator('main').innerHTML();
        throw new Error(`Not seen: ${JSON.stringify(view)}. Instead, on ${page.url()}:\n${shown}`);
      }
    },
    async go(route) {
      if (new URL(page.url()).hash === `#${route}`) return;
      await page.getByRole('link', { name: screens[route].link, exact: true }).click();
      await page.waitForFunction(isSeen, { path: route });
    },
    async submit(form, values) {
      const { button, fields } = forms[form];
      for (const [index, value] of (values ?? []).entries()) {
        await page.getByLabel(fields[index]!, { exact: true }).fill(value);
      }
      // A busy button can be pressed as well.
      const press = page.locator('form').getByRole('button', { name: button, exact: true });
      await press.click({ force: true });
    },
    async answer(call, answer) {
      await give(page, await next(call), answer);
      return answer;
    },
  };
}

/** Runs in the page. What a view does not name may be as it likes. */
function isSeen(view: View): boolean {
  const textOf = (selector: string) => document.querySelector(selector)?.textContent ?? undefined;
  const isBusy = (selector: string) => {
    const element = document.querySelector(selector);
    return element ? element.getAttribute('aria-busy') === 'true' : undefined;
  };
  const seen: View = {
    path: location.hash.slice(1) || '/',
    heading: textOf('h1'),
    banner: textOf('[role=alert]'),
    busy: isBusy('main form button'),
    values: [
      ...document.querySelectorAll<HTMLInputElement>('main form input, main form textarea'),
    ].map(({ value }) => value),
    loading: isBusy('main section'),
  };
  return Object.entries(view).every(
    ([name, value]) => JSON.stringify(seen[name as keyof View]) === JSON.stringify(value),
  );
}
