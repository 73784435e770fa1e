import axe from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { playAll } from '../visual/states.ts';
import { openStage, type Stage } from '../visual/page-driver.ts';
import { field, fillCredentials, fillProject, submit, useBrowser } from '../support/browser.ts';

const browser = useBrowser();
let page: Page;
let stage: Stage;
beforeEach(async () => {
  ({ page } = await browser.open());
  stage = await openStage(page);
});

const everything: axe.RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};

/** All that differs between themes and widths. */
const looks: axe.RunOptions = {
  runOnly: ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size'],
};

/** The rules that are broken, each with the elements that break it. */
async function broken(options: axe.RunOptions): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (chosen) =>
      (window as unknown as { axe: typeof axe }).axe.run({
        ...chosen,
        resultTypes: ['violations'],
      }),
    options,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`);
}

/** WCAG 2.2, 1.4.12: what a person may set, and must not lose anything by. */
const spacing = `* {
  line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important;
} p { margin-bottom: 2em !important }`;

/** Whatever reaches out of the window sideways, is cut off, or is a smaller target than 24 by 24 px. Runs in the page. */
function outOfReach(): string[] {
  const nameOf = (element: Element) => element.outerHTML.slice(0, 100);
  const sideways = document.documentElement.scrollWidth > innerWidth ? ['scrolls sideways'] : [];
  const operable = [...document.querySelectorAll('a, button, input, textarea')];
  return [
    ...sideways,
    ...operable
      .filter((element) => {
        const { width, height } = element.getBoundingClientRect();
        return width < 24 || height < 24;
      })
      .map((element) => `small: ${nameOf(element)}`),
    ...[...document.querySelectorAll('h1, h2, h3, p, a, button')]
      // What is said to screen readers alone is a pixel wide.
      .filter((element) => element.getBoundingClientRect().width > 1)
      .filter(
        (element) =>
          getComputedStyle(element).overflow === 'hidden' &&
          element.scrollHeight > element.clientHeight + 1,
      )
      .map((element) => `cut off: ${nameOf(element)}`),
  ];
}

test(
  'every state of every screen keeps to WCAG 2.2 AA, in both themes, wide and narrow, and with more space in its text',
  { timeout: 300_000 },
  async () => {
    const seen: Record<string, string[]> = {};
    const found = (where: string, faults: string[]) => {
      if (faults.length > 0) seen[where] = [...(seen[where] ?? []), ...faults];
    };
    let scenes = 0;
    // Colours that change at once can be looked at at once.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await playAll(stage, async ({ name }) => {
      scenes += 1;
      // Colours are the same at every width, and places in both themes: each is asked twice.
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ width: 1280, height: 800 });
      found(`${name}, 1280 px, light`, await page.evaluate(outOfReach));
      found(`${name}, 1280 px, light`, await broken(everything));
      // 1280 px at a zoom of 200 %.
      await page.setViewportSize({ width: 640, height: 400 });
      found(`${name}, 640 px`, await page.evaluate(outOfReach));
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.setViewportSize({ width: 320, height: 800 });
      found(`${name}, 320 px, dark`, await page.evaluate(outOfReach));
      found(`${name}, 320 px, dark`, await broken(looks));
      const style = await page.addStyleTag({ content: spacing });
      found(`${name}, 320 px, spaced`, await page.evaluate(outOfReach));
      await style.evaluate((element) => (element as Element).remove());
    });
    expect(seen).toEqual({});
    expect(scenes).toBeGreaterThan(40);
  },
);

/** What has the focus, by its name, and that it shows. Never the page itself: that is where focus gets lost. */
async function focused(): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return 'nothing';
    const label = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
    const name = (label ? element.labels?.[0]?.textContent : element.textContent) ?? '';
    const shows = getComputedStyle(element).outlineStyle === 'solid' || element.matches('h1');
    return `${element.localName} ${name}${shows ? '' : ', unseen'}`;
  });
}

describe('by keyboard alone', () => {
  test('[AUTH-8, CHOICE-4, CHOICE-27] a person registers, signs in and creates a project, and the focus is never lost or unseen', async () => {
    await stage.start('/');
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press('Tab', 'Tab', 'Tab', 'Tab');
    expect(await focused()).toBe('a Sign up');
    await press('Enter');
    await stage.until({ path: '/register', heading: 'Create an account' });
    await expect.poll(focused).toBe('h1 Create an account');

    await press('Tab');
    expect(await focused()).toBe('input Email');
    await page.keyboard.type('ada@example.org');
    await press('Tab');
    expect(await focused()).toBe('input Password');
    await page.keyboard.type('correct horse');
    await press('Tab', 'Enter');
    await stage.until({ path: '/register', busy: true });
    expect(await focused()).toBe('button Register');
    await stage.answer('registerUser', { status: 201, body: { role: 'member' } });
    await expect.poll(focused).toBe('h1 Sign in');

    await press('Tab');
    await page.keyboard.type('ada@example.org');
    await press('Tab');
    await page.keyboard.type('wrong horse');
    await press('Tab', 'Space');
    await stage.until({ path: '/login', busy: true });
    expect(await focused()).toBe('button Sign in');
    await stage.answer('login', { status: 401, body: { message: 'Not right.' } });
    await stage.until({ path: '/login', busy: false, banner: 'Not right.' });
    expect(await focused()).toBe('button Sign in');

    await press('Shift+Tab');
    await page.keyboard.type('correct horse');
    await press('Enter');
    await stage.until({ path: '/login', busy: true });
    expect(await focused()).toBe('input Password');
    await stage.answer('login', { status: 200, body: {} });
    await expect.poll(focused).toBe('h1 New Project');
    await stage.answer('listProjects', { status: 200, body: [] });

    await press('Tab');
    await page.keyboard.type('Website relaunch');
    await press('Tab');
    await page.keyboard.type('New pages.');
    await press('Tab', 'Enter');
    await stage.until({ path: '/projects', busy: true });
    expect(await focused()).toBe('button Create Project');
    const project = { id: 1, title: 'Website relaunch', description: 'New pages.' };
    await stage.answer('createProject', { status: 201, body: project });
    await expect.poll(focused).toBe('input Title');
    expect(await page.getByRole('status').textContent()).toBe('The project was created.');
  });

  test('submitting what is not valid puts the focus on the first field in error, whose error is its description', async () => {
    for (const [route, first, error] of [
      ['/register', 'Email', 'Email is required'],
      ['/login', 'Email', 'Email is required'],
      ['/projects', 'Title', 'Title is required'],
    ] as const) {
      await stage.start(route);
      await page.locator('form button').focus();
      await page.keyboard.press('Enter');
      await expect.poll(focused).toBe(`input ${first}`);
      const input = page.getByRole('textbox', { name: first, exact: true });
      await expect.poll(() => input.getAttribute('aria-invalid')).toBe('true');
      const tree = await page.locator('form').ariaSnapshot();
      expect(tree).toContain(`- textbox "${first}"`);
      expect(await descriptionOf(input)).toBe(error);
    }
  });

  test('the error of a field is read out when the field is left', async () => {
    await stage.start('/login');
    await field(page, 'Email').focus();
    await page.keyboard.press('Tab');
    const error = page.getByText('Email is required');
    await error.waitFor();
    expect(await error.getAttribute('aria-live')).toBe('polite');
    expect(await focused()).toBe('input Password');
  });
});

describe('what a person who sees nothing is told', () => {
  test('[LOGIN-5] a login that is refused again in the same words is read out again, once, and only then', async () => {
    await stage.start('/login');
    await fillCredentials(page, 'ada@example.org');
    await page.keyboard.press('Enter');
    await stage.answer('login', { status: 401, body: { message: 'Not right.' } });
    await stage.until({ path: '/login', busy: false, banner: 'Not right.' });
    const first = await page.getByRole('alert').elementHandle();
    const isFirst = () => first.evaluate((element) => element.isConnected);
    await page.keyboard.press('Enter');
    await stage.until({ path: '/login', busy: true, banner: 'Not right.' });
    expect(await isFirst()).toBe(true);
    await stage.answer('login', { status: 401, body: { message: 'Not right.' } });
    await stage.until({ path: '/login', busy: false, banner: 'Not right.' });
    // An element that is new is what makes an alert speak.
    expect(await isFirst()).toBe(false);
    expect(await page.getByRole('alert').count()).toBe(1);
    expect(await focused()).toBe('input Password');
  });

  test('[LIST-2] that the list is on its way and that it turned out empty are read out', async () => {
    await stage.start('/projects');
    const note = await page.getByText('Loading projects…').elementHandle();
    expect(await note.getAttribute('aria-live')).toBe('polite');
    await stage.answer('listProjects', { status: 200, body: [] });
    await page.getByText('No projects to show.').waitFor();
    // The same element with other words: that is what a live region reads out.
    expect(await note.textContent()).toBe('No projects to show.');
  });
});

test('whoever comes to the error screen by keyboard sees that its heading has the focus', async () => {
  await stage.start('/about');
  await page.keyboard.press('Tab');
  await stage.visit('/nowhere');
  await expect.poll(focused).toBe('h1 Unexpected Application Error!');
  const heading = page.getByRole('heading', { level: 1 });
  expect(await heading.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid');
});

/** As assistive technology has it. */
async function descriptionOf(input: Locator): Promise<string> {
  const client = await page.context().newCDPSession(page);
  const marked = await input.evaluate((element) => {
    element.setAttribute('data-asked', '');
    return '[data-asked]';
  });
  const { root } = await client.send('DOM.getDocument');
  const { nodeId } = await client.send('DOM.querySelector', {
    nodeId: root.nodeId,
    selector: marked,
  });
  const { nodes } = await client.send('Accessibility.getPartialAXTree', {
    nodeId,
    fetchRelatives: false,
  });
  return String(nodes[0]?.description?.value);
}

describe('where a system forces its own colours', () => {
  /** Whether a line, drawn as the border of an element or of what stands before or after it, can be seen. */
  const lineIsSeen = (it: Locator, side: 'top' | 'left', pseudo?: '::before' | '::after') =>
    it.evaluate(
      (element, [edge, which]) => {
        const style = getComputedStyle(element, which);
        return (
          Number.parseFloat(style.getPropertyValue(`border-${edge}-width`)) >= 1 &&
          style.getPropertyValue(`border-${edge}-color`) !==
            getComputedStyle(document.body).backgroundColor
        );
      },
      [side, pseudo] as const,
    );

  test('fields, buttons, the banner, the focus, the track and its trains are still seen', async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    await stage.start('/login');
    await fillCredentials(page, 'ada@example.org');
    expect(await lineIsSeen(field(page, 'Email'), 'top')).toBe(true);
    expect(await lineIsSeen(submit(page, 'Sign in'), 'top')).toBe(true);
    expect(await lineIsSeen(page.locator('main'), 'left', '::before')).toBe(true);
    const here = page.getByRole('banner').getByRole('link', { name: 'Sign in' });
    expect(await lineIsSeen(here, 'top', '::after')).toBe(true);

    await submit(page, 'Sign in').click();
    await stage.until({ path: '/login', busy: true });
    expect(await lineIsSeen(submit(page, 'Sign in').locator('span'), 'top', '::before')).toBe(true);
    await stage.answer('login', { status: 401, body: { message: 'No.' } });
    await stage.until({ path: '/login', busy: false, banner: 'No.' });
    expect(await lineIsSeen(page.getByRole('alert'), 'top')).toBe(true);

    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+Tab');
    expect(await focused()).toBe('button Sign in');
    const outline = await submit(page, 'Sign in').evaluate((element) => {
      const { outlineColor, outlineWidth } = getComputedStyle(element);
      return {
        outlineWidth,
        seen: outlineColor !== getComputedStyle(document.body).backgroundColor,
      };
    });
    expect(outline).toEqual({ outlineWidth: '3px', seen: true });

    await stage.start('/projects');
    const list = page.getByRole('region', { name: 'List of Projects' });
    expect(await lineIsSeen(list.locator('> span'), 'left')).toBe(true);
  });

  test('whoever comes to a screen sees that its heading has the focus: its stop is filled', async () => {
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    await stage.start('/about');
    const fill = () =>
      page
        .locator('main div:has(> h1)')
        .evaluate((element) => getComputedStyle(element, '::before').backgroundColor);
    const [canvas, ink] = await page.evaluate(() => {
      const { backgroundColor, color } = getComputedStyle(document.body);
      return [backgroundColor, color];
    });
    expect(await fill()).toBe(canvas);
    await page.getByRole('link', { name: 'Home' }).press('Enter');
    await expect.poll(focused).toBe('h1 Home');
    expect(await fill()).toBe(ink);
  });

  test('a field in error has a thicker border than the others, so that its colour is not needed', async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    await stage.start('/login');
    const width = (label: string) =>
      field(page, label).evaluate((element) => getComputedStyle(element).borderTopWidth);
    await field(page, 'Email').focus();
    await page.keyboard.press('Tab');
    await page.getByText('Email is required').waitFor();
    expect([await width('Email'), await width('Password')]).toEqual(['2px', '1px']);
  });
});

test('for people who asked for less motion, what is under way is still seen, and stands still', async () => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await stage.start('/projects');
  await fillProject(page, 'Website relaunch', 'New pages.');
  await submit(page, 'Create Project').click();
  await stage.until({ path: '/projects', busy: true, loading: true });
  const train = page.locator('section > span');
  const button = submit(page, 'Create Project');
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  expect(await train.isVisible()).toBe(true);
  const [inside, whole] = [await button.locator('span').boundingBox(), await button.boundingBox()];
  expect(inside!.y + inside!.height).toBeLessThanOrEqual(whole!.y + whole!.height);
  expect(inside!.height).toBeGreaterThanOrEqual(3);
});

describe('password managers', () => {
  test.each([
    ['/register', 'new-password'],
    ['/login', 'current-password'],
  ] as const)('on %s they know the account from the %s', async (route, password) => {
    await stage.start(route);
    const told = (label: string) =>
      field(page, label).evaluate((element) =>
        ['type', 'name', 'autocomplete'].map((name) => element.getAttribute(name)),
      );
    expect(await told('Email')).toEqual(['email', 'email', 'username']);
    expect(await told('Password')).toEqual(['password', 'password', password]);
    expect(await page.locator('form input').count()).toBe(2);
  });

  test.each([
    ['/register', 'registerUser', 201],
    ['/login', 'login', 200],
  ] as const)(
    'on %s they may fill and submit at once, without a key pressed',
    async (route, call, status) => {
      await stage.start(route);
      const sent = page.waitForRequest((request) => request.method() === 'POST');
      await page.evaluate(() => {
        for (const [name, value] of [
          ['email', 'ada@example.org'],
          ['password', 'correct horse'],
        ] as const) {
          const input = document.querySelector<HTMLInputElement>(`input[name=${name}]`)!;
          // As a browser fills: React's own setter knows nothing of it, and no event tells.
          Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(
            input,
            value,
          );
        }
        document.querySelector('form')!.requestSubmit();
      });
      expect((await sent).postDataJSON()).toEqual({
        email: 'ada@example.org',
        password: 'correct horse',
      });
      await stage.answer(call, { status, body: {} });
      // The form goes away: that is when a manager offers to save.
      await stage.until({ path: route === '/login' ? '/projects' : '/login' });
    },
  );
});
