// @module-tag chromium
import axe from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  fillCredentials,
  fillProject,
  headerLink,
  projectList,
  useBrowser,
} from '../../testing/browser.ts';
import {
  createVisualDriver,
  field,
  submitButton,
  type VisualDriver,
} from '../../testing/page-driver.ts';
import { showAllStates } from '../../testing/visual-states.ts';

const browser = useBrowser();
let page: Page;
let driver: VisualDriver;
beforeEach(async () => {
  ({ page } = await browser.open());
  driver = await createVisualDriver(page);
});

const allRules: axe.RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};

/** The rules whose result depends on theme or width. */
const visualRules: axe.RunOptions = {
  runOnly: ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size'],
};

/** Returns the violated rules, each with the elements that violate it. */
async function violationsOf(rules: axe.RunOptions): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (options) =>
      (window as unknown as { axe: typeof axe }).axe.run({
        ...options,
        resultTypes: ['violations'],
      }),
    rules,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`);
}

/** Text spacing that users may set (WCAG 2.2, 1.4.12). */
const textSpacing = `* {
  line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important;
} p { margin-bottom: 2em !important }`;

/** Runs in the page. Returns what overflows, overlaps, is cut off, or is a target under 24 px. */
function layoutProblems(): string[] {
  const nameOf = (element: Element) => element.outerHTML.slice(0, 100);
  const targets = [...document.querySelectorAll('a, button, input, textarea')];
  const texts = [...document.querySelectorAll('h1, h2, h3, p, a, button')];
  const lines = [...texts, ...document.querySelectorAll('label')]
    // Announcements for screen readers are one pixel wide.
    .filter((element) => element.getBoundingClientRect().width > 1)
    .flatMap((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return Array.from(range.getClientRects(), (box) => ({ element, box }));
    });
  return [
    ...(document.documentElement.scrollWidth > innerWidth ? ['scrolls sideways'] : []),
    ...targets
      .filter((element) => {
        const { width, height } = element.getBoundingClientRect();
        return width < 24 || height < 24;
      })
      .map((element) => `small: ${nameOf(element)}`),
    ...texts
      // Announcements for screen readers are one pixel wide.
      .filter((element) => element.getBoundingClientRect().width > 1)
      .filter(
        (element) =>
          getComputedStyle(element).overflow === 'hidden' &&
          element.scrollHeight > element.clientHeight + 1,
      )
      .map((element) => `cut off: ${nameOf(element)}`),
    ...[...document.querySelectorAll('header *, h1, h2, label, button, footer')]
      .flatMap((element) => [...element.childNodes].filter((node) => node instanceof Text))
      .flatMap((text) => Array.from(text.data.matchAll(/\S+/g), (word) => ({ text, word })))
      .filter(({ text, word: { 0: letters, index } }) => {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + letters.length);
        return range.getClientRects().length > 1;
      })
      .map(({ word }) => `broken: ${word[0]}`),
    ...lines
      .filter(({ element, box }) =>
        lines.some(
          (other) =>
            !other.element.contains(element) &&
            !element.contains(other.element) &&
            box.left + 2 < other.box.right &&
            other.box.left + 2 < box.right &&
            // The boxes of lines are higher than their letters.
            box.top + box.height / 3 < other.box.bottom &&
            other.box.top + other.box.height / 3 < box.bottom,
        ),
      )
      .map(({ element }) => `overlaps: ${nameOf(element)}`),
  ];
}

test('every visual state conforms to WCAG 2.2 AA, in both themes, wide and narrow, and with more text spacing', async () => {
  const problems: string[] = [];
  const report = (where: string, found: string[]) =>
    problems.push(...found.map((problem) => `${where}: ${problem}`));
  let states = 0;
  const devTools = await page.context().newCDPSession(page);
  /** Sets the font size in the settings of the browser. */
  const setFontSize = (standard: number) =>
    devTools.send('Page.setFontSizes', { fontSizes: { standard } });
  // Without transitions, colours have their final value at once.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await showAllStates(driver, async (name) => {
    states += 1;
    // Colours do not depend on the width, nor the layout on the theme, so two pairs are enough.
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
    report(`${name}, 1280 px, light`, await page.evaluate(layoutProblems));
    report(`${name}, 1280 px, light`, await violationsOf(allRules));
    // 1280 px at a zoom of 200 %.
    await page.setViewportSize({ width: 640, height: 400 });
    report(`${name}, 640 px`, await page.evaluate(layoutProblems));
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 320, height: 800 });
    report(`${name}, 320 px, dark`, await page.evaluate(layoutProblems));
    report(`${name}, 320 px, dark`, await violationsOf(visualRules));
    const style = await page.addStyleTag({ content: textSpacing });
    report(`${name}, 320 px, text spacing`, await page.evaluate(layoutProblems));
    await style.evaluate((element) => (element as Element).remove());
    await setFontSize(32);
    report(`${name}, 320 px, a font size of 32 px`, await page.evaluate(layoutProblems));
    await setFontSize(16);
  });
  expect(problems).toEqual([]);
  expect(states).toBeGreaterThan(40);
});

describe('with a minimum font size of 32 px in the settings of the browser', () => {
  const enlarging = useBrowser({ args: ['--blink-settings=minimumFontSize=32'] });

  test('at 320 px nothing scrolls sideways, overlaps or is cut off in any visual state', async () => {
    const { page: narrow } = await enlarging.open({ viewport: { width: 320, height: 640 } });
    const problems: string[] = [];
    await showAllStates(await createVisualDriver(narrow), async (name) => {
      problems.push(...(await narrow.evaluate(layoutProblems)).map((each) => `${name}: ${each}`));
    });
    expect(problems).toEqual([]);
  });
});

describe('with forced colours', () => {
  beforeEach(() => page.emulateMedia({ forcedColors: 'active' }));

  /** Returns whether a border of an element or its pseudo-element is visible. */
  const hasLine = (
    locator: Locator,
    side: 'top' | 'left' = 'top',
    pseudo?: '::before' | '::after',
  ) =>
    locator.evaluate(
      (element, [edge, pseudoElement]) => {
        const style = getComputedStyle(element, pseudoElement);
        return (
          Number.parseFloat(style.getPropertyValue(`border-${edge}-width`)) >= 1 &&
          style.getPropertyValue(`border-${edge}-color`) !==
            getComputedStyle(document.body).backgroundColor
        );
      },
      [side, pseudo] as const,
    );

  test('fields, buttons, banner, focus ring, decorative line and progress are visible', async () => {
    await driver.load('/login');
    const button = submitButton(page, 'login');
    await fillCredentials(page, 'ada@example.org');
    expect(await hasLine(field(page, 'email'))).toBe(true);
    expect(await hasLine(button)).toBe(true);
    expect(await hasLine(page.locator('main'), 'left', '::before')).toBe(true);
    expect(await hasLine(headerLink(page, '/login'), 'top', '::after')).toBe(true);

    await button.click();
    await page.locator('button[aria-busy=true]').waitFor();
    expect(await hasLine(button.locator('span'), 'top', '::before')).toBe(true);
    await driver.answer('login', { status: 401, body: { message: 'No.' } });
    await page.getByRole('alert').waitFor();
    expect(await hasLine(page.getByRole('alert'))).toBe(true);

    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+Tab');
    const outline = await button.evaluate((element) => {
      const { outlineColor, outlineWidth } = getComputedStyle(element);
      const { backgroundColor } = getComputedStyle(document.body);
      return { outlineWidth, isVisible: outlineColor !== backgroundColor };
    });
    expect(outline).toEqual({ outlineWidth: '3px', isVisible: true });

    await driver.load('/projects');
    expect(await hasLine(projectList(page).locator('> span'), 'left')).toBe(true);
  });

  test('a focused heading has a filled marker, and on the error screen a focus ring', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await driver.load('/about');
    const markerColour = () =>
      page
        .locator('main div:has(> h1)')
        .evaluate((element) => getComputedStyle(element, '::before').backgroundColor);
    const [background, text] = await page.evaluate(() => {
      const { backgroundColor, color } = getComputedStyle(document.body);
      return [backgroundColor, color];
    });
    expect(await markerColour()).toBe(background);
    await headerLink(page, '/').press('Enter');
    await page.locator('h1:focus', { hasText: 'Home' }).waitFor();
    expect(await markerColour()).toBe(text);
    await page.keyboard.press('Tab');
    await page.evaluate(() => (location.hash = '#/nowhere'));
    const error = page.locator('h1:focus', { hasText: 'Unexpected Application Error!' });
    await error.waitFor();
    expect(await error.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid');
  });

  test('a field in error has a thicker border than the others', async () => {
    await driver.load('/login');
    const width = (name: 'email' | 'password') =>
      field(page, name).evaluate((element) => getComputedStyle(element).borderTopWidth);
    await field(page, 'email').focus();
    await page.keyboard.press('Tab');
    await page.getByText('Email is required').waitFor();
    expect([await width('email'), await width('password')]).toEqual(['2px', '1px']);
  });
});

test('progress is visible without animation for users who prefer reduced motion', async () => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await driver.load('/projects');
  await fillProject(page);
  const button = submitButton(page, 'createProject');
  await button.click();
  await page.locator('button[aria-busy=true]').waitFor();
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  expect(await page.locator('section > span').isVisible()).toBe(true);
  const [progress, whole] = [
    await button.locator('span').boundingBox(),
    await button.boundingBox(),
  ];
  expect(progress!.y + progress!.height).toBeLessThanOrEqual(whole!.y + whole!.height);
  expect(progress!.height).toBeGreaterThanOrEqual(3);
});
