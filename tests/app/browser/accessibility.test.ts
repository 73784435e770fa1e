import axe from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { field, submitButton } from '../../../model/browser-driver.ts';
import {
  fillCredentials,
  fillProject,
  headerLink,
  projectList,
  useBrowser,
} from '../../support/browser.ts';
import { createVisualDriver, type VisualDriver } from '../visual/page-driver.ts';
import { showAllStates } from '../visual/states.ts';
import { longTestMs } from '../../support/time-limits.ts';

// One of them opens every visual state.
vi.setConfig({ testTimeout: 6 * longTestMs });

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

/** Runs in the page. Returns what overflows, is cut off, or is a target under 24 by 24 px. */
function layoutProblems(): string[] {
  const nameOf = (element: Element) => element.outerHTML.slice(0, 100);
  const targets = [...document.querySelectorAll('a, button, input, textarea')];
  const texts = [...document.querySelectorAll('h1, h2, h3, p, a, button')];
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
  ];
}

test('every visual state conforms to WCAG 2.2 AA, in both themes, wide and narrow, and with more text spacing', async () => {
  const problems: string[] = [];
  const report = (where: string, found: string[]) =>
    problems.push(...found.map((problem) => `${where}: ${problem}`));
  let states = 0;
  // Without transitions, colours have their final value at once.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await showAllStates(driver, async ({ name }) => {
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
  });
  expect(problems).toEqual([]);
  expect(states).toBeGreaterThan(40);
});

/** Returns element and name of the focus, and whether it has no focus ring. */
async function focused(): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return 'nothing';
    const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
    const name = (isField ? element.labels?.[0]?.textContent : element.textContent) ?? '';
    const isVisible = getComputedStyle(element).outlineStyle === 'solid' || element.matches('h1');
    return `${element.localName} ${name}${isVisible ? '' : ', invisible'}`;
  });
}

describe('by keyboard alone', () => {
  test('a user registers, signs in and creates a project, always with a visible focus [AUTH-8, CHOICE-4, CHOICE-27]', async () => {
    await driver.load('/');
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press('Tab', 'Tab', 'Tab', 'Tab');
    expect(await focused()).toBe('a Sign up');
    await press('Enter');
    await driver.waitFor({ path: '/register' });
    await expect.poll(focused).toBe('h1 Create an account');

    await press('Tab');
    expect(await focused()).toBe('input Email');
    await page.keyboard.type('ada@example.org');
    await press('Tab');
    expect(await focused()).toBe('input Password');
    await page.keyboard.type('correct horse');
    await press('Tab', 'Enter');
    await driver.waitFor({ path: '/register', form: { busy: true } });
    expect(await focused()).toBe('button Register');
    await driver.answer('registerUser', { status: 201, body: { role: 'member' } });
    await expect.poll(focused).toBe('h1 Sign in');

    await press('Tab');
    await page.keyboard.type('ada@example.org');
    await press('Tab');
    await page.keyboard.type('wrong horse');
    await press('Tab', 'Space');
    await driver.waitFor({ path: '/login', form: { busy: true } });
    expect(await focused()).toBe('button Sign in');
    await driver.answer('login', { status: 401, body: { message: 'Not right.' } });
    await driver.waitFor({
      path: '/login',
      form: { busy: false },
      banners: { form: 'Not right.' },
    });
    expect(await focused()).toBe('button Sign in');

    await press('Shift+Tab');
    await page.keyboard.type('correct horse');
    await press('Enter');
    await driver.waitFor({ path: '/login', form: { busy: true } });
    expect(await focused()).toBe('input Password');
    await driver.answer('login', { status: 200, body: {} });
    await expect.poll(focused).toBe('h1 New Project');
    await driver.answer('listProjects', { status: 200, body: [] });

    await press('Tab');
    await page.keyboard.type('Website relaunch');
    await press('Tab');
    await page.keyboard.type('New pages.');
    await press('Tab', 'Enter');
    await driver.waitFor({ path: '/projects', form: { busy: true } });
    expect(await focused()).toBe('button Create Project');
    const project = { id: 1, title: 'Website relaunch', description: 'New pages.' };
    await driver.answer('createProject', { status: 201, body: project });
    await expect.poll(focused).toBe('input Title');
    expect(await page.getByRole('status').textContent()).toBe('The project was created.');
  });

  test.each([
    ['/register', 'Email'],
    ['/login', 'Email'],
    ['/projects', 'Title'],
  ])('submitting %s empty focuses %s, which is described by its error', async (path, label) => {
    await driver.load(path);
    await page.locator('form button').focus();
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe(`input ${label}`);
    const input = page.getByRole('textbox', { name: label, exact: true });
    await expect.poll(() => input.getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('form').ariaSnapshot()).toContain(`- textbox "${label}"`);
    expect(await descriptionOf(input)).toBe(`${label} is required`);
  });

  test('leaving a field announces its error', async () => {
    await driver.load('/login');
    await field(page, 'Email').focus();
    await page.keyboard.press('Tab');
    const error = page.getByText('Email is required');
    await error.waitFor();
    expect(await error.getAttribute('aria-live')).toBe('polite');
    expect(await focused()).toBe('input Password');
  });

  test('the heading of the error screen has the focus and a focus ring', async () => {
    await driver.load('/about');
    await page.keyboard.press('Tab');
    await driver.navigate('/nowhere');
    await expect.poll(focused).toBe('h1 Unexpected Application Error!');
    const outline = await page
      .getByRole('heading', { level: 1 })
      .evaluate((element) => getComputedStyle(element).outlineStyle);
    expect(outline).toBe('solid');
  });
});

describe('for screen readers', () => {
  test('the same login error is announced again, once, after the next refusal [LOGIN-5]', async () => {
    await driver.load('/login');
    await fillCredentials(page, 'ada@example.org');
    await page.keyboard.press('Enter');
    await driver.answer('login', { status: 401, body: { message: 'Not right.' } });
    await driver.waitFor({
      path: '/login',
      form: { busy: false },
      banners: { form: 'Not right.' },
    });
    const first = await page.getByRole('alert').elementHandle();
    const isFirst = () => first.evaluate((element) => element.isConnected);
    await page.keyboard.press('Enter');
    await driver.waitFor({ path: '/login', form: { busy: true }, banners: { form: 'Not right.' } });
    expect(await isFirst()).toBe(true);
    await driver.answer('login', { status: 401, body: { message: 'Not right.' } });
    await driver.waitFor({
      path: '/login',
      form: { busy: false },
      banners: { form: 'Not right.' },
    });
    // Screen readers announce an alert when its element is new.
    expect(await isFirst()).toBe(false);
    expect(await page.getByRole('alert').count()).toBe(1);
    expect(await focused()).toBe('input Password');
  });

  test('loading and an empty list are announced [LIST-2]', async () => {
    await driver.load('/projects');
    const announced = () => page.locator('section + [aria-live=polite]').textContent();
    await expect.poll(announced).toBe('Loading projects.');
    await driver.answer('listProjects', { status: 200, body: [] });
    await expect.poll(announced).toBe('No projects.');
  });
});

/** Returns the description that assistive technology gets. */
async function descriptionOf(input: Locator): Promise<string> {
  const client = await page.context().newCDPSession(page);
  await input.evaluate((element) => element.setAttribute('data-described', ''));
  const { root } = await client.send('DOM.getDocument');
  const { nodeId } = await client.send('DOM.querySelector', {
    nodeId: root.nodeId,
    selector: '[data-described]',
  });
  const { nodes } = await client.send('Accessibility.getPartialAXTree', {
    nodeId,
    fetchRelatives: false,
  });
  return String(nodes[0]?.description?.value);
}

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
    const button = submitButton(page, 'Sign in');
    await fillCredentials(page, 'ada@example.org');
    expect(await hasLine(field(page, 'Email'))).toBe(true);
    expect(await hasLine(button)).toBe(true);
    expect(await hasLine(page.locator('main'), 'left', '::before')).toBe(true);
    expect(await hasLine(headerLink(page, 'Sign in'), 'top', '::after')).toBe(true);

    await button.click();
    await driver.waitFor({ path: '/login', form: { busy: true } });
    expect(await hasLine(button.locator('span'), 'top', '::before')).toBe(true);
    await driver.answer('login', { status: 401, body: { message: 'No.' } });
    await driver.waitFor({ path: '/login', form: { busy: false }, banners: { form: 'No.' } });
    expect(await hasLine(page.getByRole('alert'))).toBe(true);

    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+Tab');
    expect(await focused()).toBe('button Sign in');
    const outline = await button.evaluate((element) => {
      const { outlineColor, outlineWidth } = getComputedStyle(element);
      const { backgroundColor } = getComputedStyle(document.body);
      return { outlineWidth, isVisible: outlineColor !== backgroundColor };
    });
    expect(outline).toEqual({ outlineWidth: '3px', isVisible: true });

    await driver.load('/projects');
    expect(await hasLine(projectList(page).locator('> span'), 'left')).toBe(true);
  });

  test('the marker of a focused heading is filled', async () => {
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
    await page.getByRole('link', { name: 'Home' }).press('Enter');
    await expect.poll(focused).toBe('h1 Home');
    expect(await markerColour()).toBe(text);
  });

  test('a field in error has a thicker border than the others', async () => {
    await driver.load('/login');
    const width = (label: string) =>
      field(page, label).evaluate((element) => getComputedStyle(element).borderTopWidth);
    await field(page, 'Email').focus();
    await page.keyboard.press('Tab');
    await page.getByText('Email is required').waitFor();
    expect([await width('Email'), await width('Password')]).toEqual(['2px', '1px']);
  });
});

test('progress is visible without animation for users who prefer reduced motion', async () => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await driver.load('/projects');
  await fillProject(page, 'Website relaunch', 'New pages.');
  const button = submitButton(page, 'Create Project');
  await button.click();
  await driver.waitFor({ path: '/projects', form: { busy: true }, list: { busy: true } });
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  expect(await page.locator('section > span').isVisible()).toBe(true);
  const [progress, whole] = [
    await button.locator('span').boundingBox(),
    await button.boundingBox(),
  ];
  expect(progress!.y + progress!.height).toBeLessThanOrEqual(whole!.y + whole!.height);
  expect(progress!.height).toBeGreaterThanOrEqual(3);
});

describe.each([
  ['/register', 'new-password', 'registerUser', { status: 201, body: {} }, '/login'],
  ['/login', 'current-password', 'login', { status: 200, body: {} }, '/projects'],
] as const)('password managers on %s', (path, autocomplete, call, response, nextPath) => {
  test(`recognize email and ${autocomplete}`, async () => {
    await driver.load(path);
    const attributes = (label: string) =>
      field(page, label).evaluate((element) =>
        ['type', 'name', 'autocomplete'].map((name) => element.getAttribute(name)),
      );
    expect(await attributes('Email')).toEqual(['email', 'email', 'username']);
    expect(await attributes('Password')).toEqual(['password', 'password', autocomplete]);
    expect(await page.locator('form input').count()).toBe(2);
  });

  test('can fill and submit the form without a key press', async () => {
    await driver.load(path);
    const credentials = { email: 'ada@example.org', password: 'correct horse' };
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.evaluate((values) => {
      for (const [name, value] of Object.entries(values)) {
        const input = document.querySelector<HTMLInputElement>(`input[name=${name}]`)!;
        // Like a browser, without React's own setter and without an event.
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(
          input,
          value,
        );
      }
      document.querySelector('form')!.requestSubmit();
    }, credentials);
    expect((await sent).postDataJSON()).toEqual(credentials);
    await driver.answer(call, response);
    // Password managers offer to save when the form is gone.
    await driver.waitFor({ path: nextPath });
  });
});
