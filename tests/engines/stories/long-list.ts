import { expect, test } from 'vitest';
import { newProject } from '../../../testing/projects.ts';
import { rowSelector } from '../setting/app-page.ts';
import type { Setting } from '../setting/setting.ts';

export function testLongList({ registerUser, openProjects, lengthenTexts }: Setting) {
  test('in a list of 2,000, the wheel shows no blank frame, and "Show the new project" the new one', async () => {
    const page = await openLongList();
    expect(await page.count('main li')).toBeLessThan(60);
    await page.evaluate(watchFrames);
    for (let turns = 0; turns < 20; turns++) {
      await page.wheel(turns % 5 === 4 ? -400 : 900);
      await page.evaluate(() => new Promise((painted) => requestAnimationFrame(painted)));
    }
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(10_000);
    const { frames, blank } = await page.evaluate(() => window.watchedFrames!);
    expect(frames).toBeGreaterThanOrEqual(20);
    expect(blank).toEqual([]);

    await page.createProject();
    await page.waitForText('[role=status]', 'The project was created.');
    const showButton = 'main section > button';
    await page.waitForText(showButton, 'Show the new project');
    await page.click(showButton);
    await expect
      .poll(() => page.isInViewport(`${rowSelector(2_001)} [data-field=title]`))
      .toBe(true);
    expect(await page.focused()).toBe(newProject().title);
  });

  test('in a list of 2,000 with rows of different heights, End goes to the end of the page in at most two presses, Home to its start [CHOICE-121]', async () => {
    const email = await registerUser(2_000);
    await lengthenTexts(email, 1, '1 + position / 60');
    const page = await openProjects(email);
    await page.click('main h2');
    for (const [key, position] of [
      ['End', 2_000],
      ['Home', 1],
    ] as const) {
      for (let presses = 0; presses < 2; presses++) {
        await page.press(key);
        await page.evaluate(scrolled);
      }
      const reached = await page.evaluate(() => ({
        isAtStart: scrollY === 0,
        isAtEnd: scrollY + innerHeight > document.documentElement.scrollHeight - 2,
      }));
      expect(reached).toEqual({ isAtStart: key === 'Home', isAtEnd: key === 'End' });
      expect(await page.count(rowSelector(position))).toBe(1);
    }
  });

  /** Opens a list whose rows are of different heights, and taller further down. */
  async function openLongList() {
    const email = await registerUser(2_000);
    await lengthenTexts(email, 7, '1 + position / 250');
    return openProjects(email);
  }
}

/** Runs in the page. Returns when it stands still, for longer than the app waits for a scroll. */
const scrolled = () =>
  new Promise<void>((resolve) => {
    let [y, changedMs] = [NaN, 0];
    const watch = (nowMs: number) => {
      if (scrollY !== y) [y, changedMs] = [scrollY, nowMs];
      // WebKitGTK renders few frames of a page that stands still.
      if (nowMs - changedMs < 1_000) requestAnimationFrame(watch);
      else resolve();
    };
    requestAnimationFrame(watch);
  });

/** Runs in the page. Records each frame in which a part of the list in the viewport has no row. */
function watchFrames() {
  const watched = { frames: 0, blank: [] as string[] };
  window.watchedFrames = watched;
  const list = document.querySelector('main ul')!;
  const watch = () => {
    watched.frames += 1;
    const boxes = [...list.children].map((child) => child.getBoundingClientRect());
    const [top, bottom] = [boxes[0]?.top ?? Infinity, boxes.at(-1)?.bottom ?? -Infinity];
    const section = list.closest('section')!.getBoundingClientRect();
    const isBlankAbove = top > 0 && top - section.top > innerHeight / 2;
    const isBlankBelow = bottom < innerHeight && section.bottom - bottom > innerHeight / 2;
    if (isBlankAbove || isBlankBelow) watched.blank.push(`rows from ${top} to ${bottom} px`);
    requestAnimationFrame(watch);
  };
  requestAnimationFrame(watch);
}

declare global {
  interface Window {
    watchedFrames?: { frames: number; blank: string[] };
  }
}
