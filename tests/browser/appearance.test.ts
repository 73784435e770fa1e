import type { Locator, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { field, fillCredentials, show, submit, useBrowser } from '../support/browser.ts';
import { startTemporaryServer } from '../support/server-process.ts';

const browser = useBrowser();
let server: Awaited<ReturnType<typeof startTemporaryServer>>;
beforeAll(async () => {
  server = await startTemporaryServer();
});
afterAll(() => server.stop());

/** A colour as [red, green, blue], each 0 to 255. */
async function rgb(it: Locator, property: string): Promise<[number, number, number]> {
  const text = await it.evaluate(
    (element, name) => getComputedStyle(element).getPropertyValue(name),
    property,
  );
  const [red = -1, green = -1, blue = -1] = (text.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}

const isRed = ([red, green, blue]: number[]) =>
  red! > 150 && red! > green! * 1.5 && red! > blue! * 1.5;

describe.each(['light', 'dark'] as const)('in the %s theme', (colorScheme) => {
  test('the page takes the theme of the system', async () => {
    const { page } = await browser.open({ colorScheme });
    await page.goto(server.address);
    const [red, green, blue] = await rgb(page.locator('body'), 'background-color');
    const brightness = (red + green + blue) / 3;
    expect(colorScheme === 'light' ? brightness > 200 : brightness < 60).toBe(true);
  });

  test('[FIELD-2] the border of a field turns red with its error', async () => {
    const { page } = await browser.open({ colorScheme });
    for (const [route, label] of [
      ['/login', 'Email'],
      ['/register', 'Password'],
      ['/projects', 'Title'],
      ['/projects', 'Description'],
    ] as const) {
      await show(page, server.address, route);
      expect(isRed(await rgb(field(page, label), 'border-top-color'))).toBe(false);
      await field(page, label).focus();
      await field(page, label).blur();
      await page.getByText(`${label} is required`).waitFor();
      expect(isRed(await rgb(field(page, label), 'border-top-color'))).toBe(true);
      await page.reload();
    }
  });

  test('[LOGIN-5, PROJECTS-5] the banners are red', async () => {
    const { page } = await browser.open({ colorScheme });
    await page.route('**/api/v1/**', (route) =>
      route.fulfill({ status: 500, json: { message: 'No.' } }),
    );
    for (const [route, button, values] of [
      ['/login', 'Sign in', { Email: 'ada@example.org', Password: 'correct horse' }],
      ['/projects', 'Create Project', { Title: 'T', Description: 'D' }],
    ] as const) {
      await show(page, server.address, route);
      for (const [label, value] of Object.entries(values)) await field(page, label).fill(value);
      await submit(page, button).click();
      await page.getByRole('alert').waitFor();
      expect(isRed(await rgb(page.getByRole('alert'), 'background-color'))).toBe(true);
    }
  });
});

test('[HEADER-5, HEADER-6, HEADER-7] "Sign up" and "Sign in" look like buttons, are links, and are on every screen', async () => {
  const { page } = await browser.open();
  for (const route of ['/', '/about', '/register', '/login', '/projects'] as const) {
    await show(page, server.address, route);
    for (const name of ['Sign up', 'Sign in']) {
      const link = page.getByRole('banner').getByRole('link', { name, exact: true });
      await link.waitFor();
      const border = await link.evaluate((element) => getComputedStyle(element).borderTopWidth);
      expect(border).toBe('1px');
    }
  }
});

test.each([320, 2560])('at %i px nothing scrolls sideways', async (width) => {
  const { page } = await browser.open({ viewport: { width, height: 800 } });
  const text = 'w'.repeat(10_000);
  await page.route('**/api/v1/projects', (route) =>
    route.fulfill({ json: [{ id: 1, title: text, description: text }] }),
  );
  for (const route of ['/', '/about', '/register', '/login', '/projects', '/nowhere'] as const) {
    await show(page, server.address, route);
    if (route === '/projects') await page.getByRole('listitem').waitFor();
    const scrolls = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(`${route}: ${scrolls}`).toBe(`${route}: false`);
  }
});

test('an error that appears does not move the button away from under the click that made it appear', async () => {
  const { page } = await browser.open();
  await show(page, server.address, '/projects');
  await field(page, 'Title').focus();
  const place = () => submit(page, 'Create Project').boundingBox();
  const before = await place();
  await submit(page, 'Create Project').click();
  await page.getByText('Description is required').waitFor();
  expect(await place()).toEqual(before);
  expect(await page.getByText('Title is required').isVisible()).toBe(true);
});

test('[LIST-2, CHOICE-7] something moves in a button and above the list while their calls are pending, and nothing afterwards', async () => {
  const { page } = await browser.open();
  const held: Route[] = [];
  await page.route('**/api/v1/**', (route) => void held.push(route));
  const moving = (it: Locator) =>
    it.evaluate((element) => element.getAnimations({ subtree: true }).length);
  const list = page.getByRole('region', { name: 'List of Projects' });

  await show(page, server.address, '/projects');
  await expect.poll(() => held.length).toBe(1);
  await expect.poll(() => moving(list)).toBe(1);
  await held[0]!.fulfill({ json: [] });
  await page.getByText('No projects to show.').waitFor();
  await expect.poll(() => moving(list)).toBe(0);

  await show(page, server.address, '/login');
  await expect.poll(() => moving(submit(page, 'Sign in'))).toBe(0);
  await fillCredentials(page, 'ada@example.org');
  await submit(page, 'Sign in').click();
  await expect.poll(() => held.length).toBe(2);
  await expect.poll(() => moving(submit(page, 'Sign in'))).toBe(1);
  await held[1]!.fulfill({ status: 401, json: { message: 'No.' } });
  await page.getByRole('alert').waitFor();
  await expect.poll(() => moving(submit(page, 'Sign in'))).toBe(0);
});

test('nothing goes on moving for people who asked for less motion', async () => {
  const { page } = await browser.open({ reducedMotion: 'reduce' });
  await page.route('**/api/v1/**', () => {});
  await show(page, server.address, '/projects');
  const list = page.getByRole('region', { name: 'List of Projects' });
  await page.getByText('Loading projects…').waitFor();
  expect(
    await list.evaluate((element) =>
      element.getAnimations({ subtree: true }).map((it) => it.effect?.getTiming().iterations),
    ),
  ).not.toContain(Infinity);
});

test('the links of the header have no line below them, and the one of the screen that is shown is marked', async () => {
  const { page } = await browser.open();
  await show(page, server.address, '/about');
  const look = (name: string) =>
    page
      .getByRole('banner')
      .getByRole('link', { name, exact: true })
      .evaluate((element) => {
        const { textDecorationLine } = getComputedStyle(element);
        const stop = getComputedStyle(element, '::after').content !== 'none';
        return { line: textDecorationLine, marked: stop };
      });
  for (const name of ['Home', 'About', 'Projects', 'Sign up', 'Sign in']) {
    expect({ name, ...(await look(name)) }).toEqual({
      name,
      line: 'none',
      marked: name === 'About',
    });
  }
});

test('the way out of the error screen has the colour of what can be acted on', async () => {
  const { page } = await browser.open();
  await show(page, server.address, '/login');
  const accent = await rgb(submit(page, 'Sign in'), 'background-color');
  await show(page, server.address, '/nowhere');
  expect(await rgb(page.getByRole('link', { name: 'Go to the start page' }), 'color')).toEqual(
    accent,
  );
});

test('whatever can be operated is as high as a finger is wide', async () => {
  const { page } = await browser.open();
  for (const route of ['/login', '/projects'] as const) {
    await show(page, server.address, route);
    for (const it of await page.locator('header a, button, input, textarea').all()) {
      const { height = 0 } = (await it.boundingBox()) ?? {};
      expect([await it.evaluate(({ outerHTML }) => outerHTML), height >= 44]).toEqual([
        expect.anything(),
        true,
      ]);
    }
  }
});

test('whoever goes by keyboard sees where they are', async () => {
  const { page } = await browser.open();
  await show(page, server.address, '/login');
  await submit(page, 'Sign in').waitFor();
  const seen = [];
  for (let stop = 0; stop < 8; stop++) {
    await page.keyboard.press('Tab');
    seen.push(
      await page.evaluate(() => {
        const { textContent, localName } = document.activeElement ?? {};
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement!);
        return `${textContent || localName}: ${outlineStyle} ${outlineWidth}`;
      }),
    );
  }
  expect(seen).toEqual(
    ['Home', 'About', 'Projects', 'Sign up', 'Sign in', 'input', 'input', 'Sign in'].map(
      (name) => `${name}: solid 3px`,
    ),
  );
});

test('the form of an email and a password stands alone, and narrow', async () => {
  const { page } = await browser.open({ viewport: { width: 1280, height: 800 } });
  const width = async (route: '/login' | '/register' | '/projects') => {
    await show(page, server.address, route);
    return (await page.locator('form').boundingBox())?.width ?? 0;
  };
  const wide = await width('/projects');
  for (const route of ['/login', '/register'] as const) {
    expect([route, (await width(route)) < wide * 0.75]).toEqual([route, true]);
  }
});

test('[PROJECTS-6, LOGIN-5] rows and banners show the line breaks and the blanks of their text', async () => {
  const { page } = await browser.open();
  const text = 'first\n\n  third';
  await page.route('**/api/v1/**', (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({ json: [{ id: 1, title: text, description: text }] })
      : route.fulfill({ status: 422, json: { message: text } }),
  );
  await show(page, server.address, '/projects');
  await field(page, 'Title').fill('T');
  await field(page, 'Description').fill('D');
  await submit(page, 'Create Project').click();
  const row = page.getByRole('listitem');
  for (const it of [row.locator('h3'), row.locator('p'), page.getByRole('alert')]) {
    expect(await it.innerText()).toBe(text);
  }
});

test('what is said to screen readers is seen by nobody', async () => {
  const { page } = await browser.open();
  await page.route('**/api/v1/**', (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({ json: [] })
      : route.fulfill({ status: 201, json: { id: 1, title: 'T', description: 'D' } }),
  );
  await show(page, server.address, '/projects');
  await field(page, 'Title').fill('T');
  await field(page, 'Description').fill('D');
  await submit(page, 'Create Project').click();
  await page.getByText('The project was created.').waitFor({ state: 'attached' });
  const box = await page.getByRole('status').boundingBox();
  expect((box?.width ?? 0) * (box?.height ?? 0)).toBeLessThanOrEqual(1);
});

test('the footer stands at the bottom of the window, and the content is no wider than can be read', async () => {
  const { page } = await browser.open({ viewport: { width: 2560, height: 1200 } });
  await show(page, server.address, '/about');
  const footer = await page.getByRole('contentinfo').boundingBox();
  expect((footer?.y ?? 0) + (footer?.height ?? 0)).toBeCloseTo(1200, 0);
  const content = await page.getByRole('main').boundingBox();
  expect(content?.width).toBeLessThan(1_000);
});

test('whoever has no JavaScript reads what the page needs', async () => {
  const { page } = await browser.open({ javaScriptEnabled: false });
  await page.goto(server.address);
  await page.locator('noscript').waitFor();
  expect(await page.locator('noscript').textContent()).toBe(
    'Tracker App needs JavaScript. Please switch it on and load this page again.',
  );
  expect(await page.title()).toBe('Tracker App');
  // In the window, not below an empty one.
  const { y = 0, height = 0 } = (await page.locator('noscript').boundingBox()) ?? {};
  expect(y + height).toBeLessThan(200);
});

test('the stop of the header is on its line, also where its links take several rows', async () => {
  const { page } = await browser.open({ viewport: { width: 320, height: 640 } });
  await show(page, server.address, '/projects');
  /** What is drawn below the middle of the link, on the line. */
  const atStop = () =>
    page
      .getByRole('banner')
      .getByRole('link', { name: 'Projects' })
      .evaluate((link) => {
        const { left, width, bottom } = link.getBoundingClientRect();
        const line = link.closest('header')!.getBoundingClientRect().bottom - 1.5;
        return {
          rows: line - bottom > 40 ? 'several' : 'one',
          isStop: document.elementFromPoint(left + width / 2, line) === link,
        };
      });
  expect(await atStop()).toEqual({ rows: 'one', isStop: true });
  await page.evaluate(() => (document.documentElement.style.fontSize = '24px'));
  expect(await atStop()).toEqual({ rows: 'several', isStop: true });
});

test('with letters twice as large, nothing scrolls sideways or is cut off on a phone', async () => {
  const { page } = await browser.open({ viewport: { width: 320, height: 640 } });
  for (const route of ['/', '/about', '/register', '/login', '/projects', '/nowhere'] as const) {
    await show(page, server.address, route);
    await page.evaluate(() => (document.documentElement.style.fontSize = '32px'));
    const scrolls = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(`${route}: ${scrolls}`).toBe(`${route}: false`);
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll('button')].filter((it) => it.scrollWidth > it.clientWidth),
    );
    expect([route, cut.length]).toEqual([route, 0]);
  }
});

test('a suggestion that is longer than its field ends in dots, and not in half a letter', async () => {
  const { page } = await browser.open({ viewport: { width: 320, height: 640 } });
  await show(page, server.address, '/projects');
  const title = field(page, 'Title');
  expect(await title.evaluate((element) => getComputedStyle(element).textOverflow)).toBe(
    'ellipsis',
  );
});

test('the page says its language, fits the width of a phone, and has an icon', async () => {
  const { page } = await browser.open();
  await page.goto(server.address);
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
  expect(await page.locator('meta[name=viewport]').getAttribute('content')).toBe(
    'width=device-width, initial-scale=1',
  );
  const saysOf = (name: string) => page.locator(`meta[name=${name}]`).getAttribute('content');
  expect(await saysOf('description')).toBe('Register, sign in, and keep track of your projects.');
  expect(await saysOf('color-scheme')).toBe('light dark');
  const icon = await page.locator('link[rel=icon]').getAttribute('href');
  const answer = await page.request.get(new URL(icon ?? '', server.address).href);
  expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'image/png']);
});

test('the icon of the window is the mark beside the brand', async () => {
  const { page } = await browser.open();
  await show(page, server.address, '/');
  const pixels = await page.evaluate(async () => {
    const size = 64;
    /** How much of each pixel a picture covers, 0 to 255. */
    async function covered(url: string) {
      const picture = new Image(size, size);
      picture.src = url;
      await picture.decode();
      const canvas = new OffscreenCanvas(size, size).getContext('2d')!;
      canvas.drawImage(picture, 0, 0, size, size);
      return canvas.getImageData(0, 0, size, size).data.filter((_, index) => index % 4 === 3);
    }
    const mark = document.querySelector('header svg')!.cloneNode(true) as SVGElement;
    mark.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    mark.setAttribute('width', String(size));
    mark.setAttribute('height', String(size));
    const drawn = await covered(`data:image/svg+xml,${encodeURIComponent(mark.outerHTML)}`);
    const icon = await covered(document.querySelector<HTMLLinkElement>('link[rel=icon]')!.href);
    return {
      inked: drawn.filter((alpha) => alpha > 127).length,
      apart: drawn.filter((alpha, index) => Math.abs(alpha - icon[index]!) > 48).length,
    };
  });
  expect(pixels.inked).toBeGreaterThan(200);
  expect(pixels.apart).toBeLessThan(20);
});
