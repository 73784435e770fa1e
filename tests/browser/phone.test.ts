// @module-tag chromium
/** What Chromium imitates of a phone. See docs/browsers.md. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { field } from '../../testing/page-driver.ts';
import { focused, mockProjects, openScreen, useBrowser, useServer } from '../../testing/browser.ts';
import { alerts } from '../../testing/held-pages.ts';
import { textNames, listOf } from '../../testing/projects.ts';

const browser = useBrowser();
const server = useServer();

const viewport = { width: 360, height: 640 };
const x = viewport.width / 2;

async function openPhone() {
  const { page, context } = await browser.open({
    viewport,
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
  });
  const devtools = await context.newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...heights: number[]) =>
    devtools.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: heights.map((y) => ({ x, y })),
    });
  return {
    page,
    devtools,
    touch: async (...event: Parameters<typeof touch>) => {
      await touch(...event);
      await painted(page);
    },
    resize: (height: number) =>
      devtools.send('Emulation.setDeviceMetricsOverride', {
        ...viewport,
        height,
        deviceScaleFactor: 2,
        mobile: true,
      }),
  };
}

const unevenProjects = (count: number) =>
  listOf(count, (index) =>
    'A line of text, which a narrow window breaks into two.\n'.repeat(1 + ((index * 7) % 40)),
  );

const painted = (page: Page) =>
  page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );

test.each([
  ['down', 100, 30],
  ['up', 540, -30],
])(
  'the row under a finger that moves %s stays there while the address bar hides and shows [CHOICE-110]',
  async (_, start, step) => {
    const { page, touch, resize } = await openPhone();
    await mockProjects(page, unevenProjects(400));
    await openScreen(page, server.address, '/projects');
    await page.getByText('400 projects.').waitFor({ state: 'attached' });
    // To rows that were not measured.
    await page.evaluate(() => scrollTo({ top: 60_000, behavior: 'instant' }));
    await painted(page);
    let y = start;
    /** Returns the row under the finger, and how far above the finger it starts. */
    const rowUnderFinger = () =>
      page.evaluate(
        ([left, top]) => {
          const row = document.elementFromPoint(left!, top!)!.closest('li')!;
          return `${row.ariaPosInSet} at ${Math.round(top! - row.getBoundingClientRect().top)}`;
        },
        [x, y],
      );
    await touch('touchStart', y);
    // The first pixels only tell that it is no tap.
    await touch('touchMove', (y += step));
    await touch('touchMove', (y += step));
    const before = await rowUnderFinger();
    for (const height of [640, 696, 640, 696]) {
      await resize(height);
      for (let moves = 0; moves < 3; moves++) await touch('touchMove', (y += step));
      expect(await rowUnderFinger()).toBe(before);
    }
    await touch('touchEnd');
  },
);

test.each([
  ['makes the page lower', 1],
  ['covers half of the page, whose text is enlarged', 2],
])(
  'the line that the user types stays visible when a keyboard %s, and the user can scroll to the banner',
  async (_, pageScaleFactor) => {
    const { page, devtools, touch, resize } = await openPhone();
    await mockProjects(page, listOf(60));
    await openScreen(page, server.address, '/projects');
    /** Returns whether the banner, or the first line of the field, is above the keyboard. */
    const isVisible = () =>
      page.evaluate(() => {
        const element = document.querySelector('[role=alert]') ?? document.activeElement!;
        const { top } = element.getBoundingClientRect();
        const { offsetTop, height } = visualViewport!;
        return top >= offsetTop && top + 30 <= offsetTop + height;
      });
    for (const name of textNames) {
      await field(page, name).focus();
      await resize(viewport.height / (3 - pageScaleFactor));
      await devtools.send('Emulation.setPageScaleFactor', { pageScaleFactor });
      await page.keyboard.type('New');
      expect(await focused(page)).toBe(name);
      await expect.poll(isVisible).toBe(true);
    }
    await page.evaluate(() => document.querySelector('form')!.requestSubmit());
    await alerts(page).waitFor();
    await touch('touchStart', 20);
    for (let y = 40; y < 320; y += 20) await touch('touchMove', y);
    await touch('touchEnd');
    await expect.poll(isVisible).toBe(true);
  },
);
