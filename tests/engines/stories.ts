/** What users do with the built app and the reference backend, in any engine. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { calls, formNames, forms, isFetching } from '../../model/calls.ts';
import { exampleOf, routes, screens, type Route } from '../../shared/routes.ts';
import { maxUnvirtualizedRows } from '../../src/ui/block-offsets.ts';
import { insertProjects, withDatabase } from '../../testing/database.ts';
import { startTemporaryServer } from '../../testing/server-process.ts';
import { wrapTexts } from '../../testing/translator.ts';
import type { Engine, Page, PageOptions } from './page.ts';
import { startProxy } from './proxy.ts';

const usual: PageOptions = { width: 1000, height: 700, look: 'light' };

const password = 'correct horse';

let emails = 0;

export function testStories(name: string, startEngine: () => Promise<Engine>) {
  describe(`in ${name}`, () => {
    let engine: Engine;
    let backend: Awaited<ReturnType<typeof startTemporaryServer>>;
    beforeAll(async () => {
      backend = await startTemporaryServer();
      engine = await startEngine();
    });
    afterAll(async () => {
      await engine?.stop();
      await backend?.stop();
    });

    /** Opens an empty page, and a proxy with an origin of its own, so that nothing is cached. */
    async function open(options: Partial<PageOptions> = {}, credentials?: string) {
      const server = await startProxy(backend.address, credentials);
      onTestFinished(() => server.stop());
      const page = await engine.open({ ...usual, ...options });
      return { page, server };
    }

    /** Opens a prerendered screen, whose scripts load when `takeOver` is called. */
    async function openPrerendered(path: Route) {
      const { page, server } = await open();
      server.holdScripts();
      await page.goto(`${server.address}/#${path}`);
      await waitForHeading(page, screens[path].heading);
      const takeOver = () => {
        server.releaseScripts();
        return waitForApp(page);
      };
      return { page, server, takeOver };
    }

    /** Registers a user with this many projects, without a browser. Returns the email. */
    async function registerUser(projectCount = 0) {
      const email = `${name}-${process.pid}-${++emails}@example.org`.toLowerCase();
      const response = await fetch(`${backend.address}/api/v1/users/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      });
      expect(response.status).toBe(201);
      if (projectCount > 0) await insertProjects(backend.settings, email, projectCount);
      return email;
    }

    /** Opens the projects of a user, who signs in. */
    async function openProjects(email: string) {
      const { page, server } = await open();
      await openScreen(page, server.address, '/login');
      await fillCredentials(page, email);
      await page.press('Enter');
      await waitForHeading(page, 'New Project');
      await expect.poll(() => count(page, 'section[aria-busy=false]')).toBe(1);
      return page;
    }

    test('a user registers, is refused, signs in and creates two projects, which are there after a reload', async () => {
      const email = `${name}-${process.pid}-${++emails}@example.org`;
      const { page, server } = await open();
      await openScreen(page, server.address, '/');
      await page.click('header a[href$="/register"]');
      await waitForHeading(page, 'Create an account');
      await fillCredentials(page, email);
      await page.click('form button');
      await waitForHeading(page, 'Sign in');
      expect(await hash(page)).toBe('#/login');

      await fillCredentials(page, email, 'another password');
      await page.click('form button');
      await waitForText(page, '[role=alert]', 'The email or the password is not right.');
      expect(await page.cookies()).toEqual([]);
      await replaceText(page, 'password', password);
      await page.click('form button');
      await waitForText(page, 'main section', 'No projects to show.');
      expect(await hash(page)).toBe('#/projects');
      expect((await page.cookies()).toSorted()).toEqual([
        'XSRF-TOKEN',
        'tracker-session (http only)',
      ]);

      const projects = [
        ['Website relaunch', 'New pages.'],
        ['<b>Bold</b> & "quoted"', 'Second line'],
      ] as const;
      for (const [index, [title, description]] of projects.entries()) {
        await createProject(page, title, description);
        await expect.poll(() => count(page, 'main li')).toBe(index + 1);
        await expect.poll(() => value(page, 'title')).toBe('');
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
        .poll(() => texts(page, 'main li [data-field=title]'))
        .toEqual(projects.map(([title]) => title));
      await expect
        .poll(() => texts(page, 'main li [data-field=description]'))
        .toEqual(projects.map(([, description]) => description));
      expect(await page.evaluate(() => document.title)).toBe('Projects · Tracker App');
    });

    // Chromium and WebKit forget the credentials when the backend refuses a visitor with 401.
    test.each(routes.filter((route) => !isFetching(exampleOf(route))))(
      'the app works on %s with the credentials of HTTP Basic in the address',
      async (route) => {
        const email = await registerUser(1);
        const { page, server } = await open({}, 'reader:secret');
        await openScreen(page, server.address, route);
        await waitForHeading(page, screens[route].heading);
        await page.click('header a[href$="/login"]');
        await fillCredentials(page, email);
        await page.click('form button');
        await waitForHeading(page, 'New Project');
        await expect.poll(() => count(page, 'main li')).toBe(1);
        await createProject(page, 'Website', 'New pages.');
        await expect.poll(() => texts(page, 'main li [data-field=title]')).toHaveLength(2);
        const posts = server.requests.filter(({ method }) => method === 'POST');
        expect(posts.map(({ path }) => path)).toEqual(['/api/v1/auth/login', '/api/v1/projects']);
      },
    );

    test.each<[string, () => void]>([
      [
        'wraps the form',
        () => {
          const form = document.querySelector('form')!;
          const wrapper = document.createElement('div');
          form.replaceWith(wrapper);
          wrapper.append(form);
        },
      ],
      [
        'adds nodes and removes others',
        () => {
          for (const element of document.querySelectorAll('h1, form p, form span')) {
            element.before(document.createElement('font'));
            element.remove();
          }
          const form = document.querySelector('form')!;
          form.replaceWith(form);
          form.parentElement!.append(form);
          form.remove();
          document.querySelector('main')!.append(form);
        },
      ],
      ['wraps each text', wrapTexts],
    ])(
      'a user loses no text if an extension %s and React cannot change the page any more',
      async (_, change) => {
        const email = await registerUser();
        const { page, server } = await open();
        await openScreen(page, server.address, '/login');
        await fillCredentials(page, email, 'another password');
        await page.evaluate(change);
        await page.click('form button');
        await waitForText(page, '[role=alert]', 'The email or the password is not right.');
        expect(await texts(page, 'h1')).toEqual(['Sign in']);
        expect([await value(page, 'email'), await value(page, 'password')]).toEqual([
          email,
          'another password',
        ]);
        await replaceText(page, 'password', password);
        await page.press('Enter');
        await waitForHeading(page, 'New Project');
      },
    );

    test('a form has both texts or neither after the user came back from another page, and none after a reload [CHOICE-96]', async () => {
      const page = await openProjects(await registerUser());
      const fieldValues = async () => [
        await value(page, 'title'),
        await value(page, 'description'),
      ];
      for (const field of ['title', 'description']) await replaceText(page, field, 'Typed');
      await page.goto('about:blank');
      await expect.poll(() => page.evaluate(() => location.href)).toBe('about:blank');
      await page.evaluate(() => void setTimeout(() => history.back()));
      await waitForHeading(page, 'New Project');
      await waitForApp(page);
      const [title, description] = await fieldValues();
      expect(description).toBe(title);
      await page.evaluate(() => void Object.assign(window, { isOld: true }));
      await page.reload();
      await expect.poll(() => page.evaluate(() => 'isOld' in window)).toBe(false);
      await waitForHeading(page, 'New Project');
      await waitForApp(page);
      expect(await fieldValues()).toEqual(['', '']);
    });

    test.each(['light', 'dark'] as const)(
      'the page and its banner have the colours of the %s theme, and fields a message and a red border until they are right',
      async (look) => {
        const { page, server } = await open({ look });
        for (const form of formNames) {
          const { route, fields: labels } = forms[form];
          await openScreen(page, server.address, route);
          for (const [index, field] of Object.keys(calls[form].input(0)).entries()) {
            expect(await isRed(page, fieldSelector(field), 'border-top-color')).toBe(false);
            await page.click(fieldSelector(field));
            await page.press('Tab');
            await waitForText(page, 'form', `${labels[index]} is required`);
            expect(await isRed(page, fieldSelector(field), 'border-top-color')).toBe(true);
          }
        }
        await openScreen(page, server.address, '/login');
        const brightness = async (selector: string, property: string) => {
          const channels = await rgb(page, selector, property);
          return channels.reduce((sum, channel) => sum + channel, 0) / channels.length;
        };
        const background = await brightness('body', 'background-color');
        const text = await brightness('body', 'color');
        expect(look === 'light' ? background - text : text - background).toBeGreaterThan(150);
        await fillCredentials(page, 'ada', 'short');
        await page.click('form button');
        await waitForText(page, 'form', 'Invalid email address');
        await waitForText(page, 'form', 'Password must be at least 8 characters');
        expect(server.requests.filter(({ method }) => method === 'POST')).toEqual([]);
        await fillCredentials(page, 'ada@example.org');
        await expect.poll(() => count(page, '[aria-invalid=true]')).toBe(0);
        for (const field of ['email', 'password']) {
          expect(await isRed(page, fieldSelector(field), 'border-top-color')).toBe(false);
        }
        await page.click('form button');
        await waitForText(page, '[role=alert]', 'The email or the password is not right.');
        expect(await isRed(page, '[role=alert]', 'background-color')).toBe(true);
      },
    );

    test.each([
      ['a classic', 'dark', true],
      ['an overlay', 'light', false],
    ] as const)(
      'at 320 px with %s scroll bar nothing scrolls sideways, and the header has two rows',
      async (_, look, takesRoom) => {
        // So low that every screen scrolls.
        const { page, server } = await open({ width: 320, height: 200, look });
        for (const path of routes) {
          await openScreen(page, server.address, path);
          const { width, room, needed, boxes } = await page.evaluate(() => ({
            width: innerWidth,
            room: document.documentElement.clientWidth,
            needed: document.documentElement.scrollWidth,
            boxes: [...document.querySelectorAll('header svg, header a')].map((element) => {
              const { top, bottom } = element.getBoundingClientRect();
              return { top, bottom };
            }),
          }));
          // A row starts with each element that is below all before it.
          const rows = boxes.filter(({ top }, index) =>
            boxes.slice(0, index).every(({ bottom }) => bottom <= top),
          ).length;
          expect({ path, width, takesRoom: room < width, scrolls: needed > room, rows }).toEqual({
            path,
            width: 320,
            takesRoom,
            scrolls: false,
            rows: 2,
          });
        }
      },
    );

    test('a user with a keyboard alone signs in and creates a project', async () => {
      const email = await registerUser();
      const { page, server } = await open();
      await openScreen(page, server.address, '/');
      const stops = [];
      for (let presses = 0; presses < 5; presses++) {
        await page.press('Tab');
        stops.push(await page.evaluate(() => document.activeElement?.textContent));
        expect(await hasFocusRing(page)).toBe(true);
      }
      expect(stops).toEqual(['Home', 'About', 'Projects', 'Sign up', 'Sign in']);
      await page.press('Enter');
      await waitForHeading(page, 'Sign in');
      await expect.poll(() => focused(page)).toBe('Sign in');
      await page.press('Tab');
      await expect.poll(() => focused(page)).toBe('email');
      expect(await hasFocusRing(page)).toBe(true);
      await page.type(email);
      await page.press('Tab');
      await page.press('Tab');
      expect(await focused(page)).toBe('Sign in');
      await page.press('Enter');
      await waitForText(page, 'form', 'Password is required');
      await expect.poll(() => focused(page)).toBe('password');
      await page.type(password);
      await page.press('Enter');
      await waitForHeading(page, 'New Project');
      await waitForText(page, 'main section', 'No projects to show.');
      await expect.poll(() => focused(page)).toBe('New Project');
      await page.press('Tab');
      await page.type('Website');
      await page.press('Tab');
      await page.type('New pages.');
      await page.press('Shift+Tab');
      expect(await focused(page)).toBe('title');
      await page.press('Enter');
      await waitForText(page, 'main li', 'Website');
      await expect.poll(() => focused(page)).toBe('title');
      expect(await value(page, 'title')).toBe('');
    });

    test('the app keeps each element of a prerendered form, and what the user does to it', async () => {
      const email = await registerUser();
      const { page, takeOver } = await openPrerendered('/login');
      const marked = await markElements(page);
      await page.click(fieldSelector('email'));
      await page.type(email.slice(1));
      await page.press('Home');
      await expect.poll(() => focused(page)).toBe('email');
      await takeOver();
      await page.type(email.slice(0, 1));
      expect(await value(page, 'email')).toBe(email);
      expect(await keptElements(page)).toBe(marked);
      expect(await texts(page, '[aria-invalid=true]')).toEqual([]);
      await page.press('Tab');
      await page.type(password);
      await page.press('Enter');
      await waitForText(page, 'main section', 'No projects to show.');
    });

    test('the app keeps the undo history of a prerendered field', async () => {
      const { page, takeOver } = await openPrerendered('/projects');
      await page.click(fieldSelector('title'));
      await page.type('Website');
      await takeOver();
      expect(await value(page, 'title')).toBe('Website');
      await page.undo();
      // Engines undo a letter, a word or all that was typed.
      await expect.poll(() => value(page, 'title')).not.toBe('Website');
      expect('Website').toContain(await value(page, 'title'));
      expect(await focused(page)).toBe('title');
    });

    test('a form that was submitted twice before the app has loaded is sent once, and its elements are kept', async () => {
      const email = await registerUser();
      const { page, server, takeOver } = await openPrerendered('/register');
      const marked = await markElements(page);
      await fillCredentials(page, email);
      await page.click('form button');
      await expect.poll(() => count(page, 'button[aria-busy=true]')).toBe(1);
      await page.press('Enter');
      await takeOver();
      const posts = () => server.requests.filter(({ method }) => method === 'POST').length;
      await expect.poll(posts).toBe(1);
      // The email is taken, so the screen stays.
      await expect.poll(() => count(page, 'button[aria-busy=false]')).toBe(1);
      expect(await keptElements(page)).toBe(marked);
      expect([posts(), await value(page, 'email')]).toEqual([1, email]);
    });

    test.each<[string, () => void]>([
      ['a translator has changed attributes and texts', translate],
      ['an extension has added forms and fields', addForms],
    ])(
      'what was typed and submitted before the app has loaded is kept and sent once, although %s [CHOICE-62, CHOICE-64]',
      async (_, change) => {
        const email = await registerUser();
        const { page, server, takeOver } = await openPrerendered('/login');
        await fillCredentials(page, email.slice(0, -3));
        await page.evaluate(change);
        await page.click(fieldSelector('email'));
        await page.press('End');
        await page.type('org');
        await page.press('Enter');
        await expect.poll(() => count(page, '[type=submit][aria-busy=true]')).toBe(1);
        await page.evaluate(change);
        await takeOver();
        // Signed in with what was typed.
        await expect.poll(() => hash(page)).toBe('#/projects');
        expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
      },
    );

    test('the app keeps each element of the prerendered projects, and a long text in the form', async () => {
      const email = await registerUser(3);
      const { page, server, takeOver } = await openPrerendered('/about');
      const status = await page.evaluate(async (body) => {
        const headers = { 'content-type': 'application/json' };
        return (await fetch('/api/v1/auth/login', { method: 'POST', headers, body })).status;
      }, JSON.stringify({ email, password }));
      expect(status).toBe(200);
      await page.click('header a[href$="/projects"]');
      await expect.poll(() => count(page, 'main li')).toBe(3);
      const marked = await markElements(page);
      await page.click(fieldSelector('description'));
      await page.type('New ges.');
      for (let presses = 0; presses < 4; presses++) await page.press('ArrowLeft');
      await page.evaluate(() => {
        document.querySelector('textarea')!.style.height = '300px';
      });
      await takeOver();
      await page.type('pa');
      expect(await value(page, 'description')).toBe('New pages.');
      expect(await keptElements(page)).toBe(marked);
      expect(await page.evaluate(() => document.querySelector('textarea')!.offsetHeight)).toBe(300);
      const lists = server.requests.filter(({ path }) => path === '/api/v1/projects');
      expect(lists).toHaveLength(1);
    });

    test('in a list of 2,000, the wheel shows no blank frame, and "Show the new project" the new one', async () => {
      const page = await openLongList();
      expect(await count(page, 'main li')).toBeLessThan(60);
      await page.evaluate(watchFrames);
      for (let turns = 0; turns < 20; turns++) {
        await page.wheel(turns % 5 === 4 ? -400 : 900);
        await page.evaluate(() => new Promise((painted) => requestAnimationFrame(painted)));
      }
      await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(10_000);
      const { frames, blank } = await page.evaluate(() => window.watchedFrames!);
      expect(frames).toBeGreaterThanOrEqual(20);
      expect(blank).toEqual([]);

      await createProject(page, 'The new one', 'At the end.');
      await waitForText(page, '[role=status]', 'The project was created.');
      const showButton = 'main section > button';
      await waitForText(page, showButton, 'Show the new project');
      await page.click(showButton);
      await expect.poll(() => isInViewport(page, `${row(2_001)} [data-field=title]`)).toBe(true);
      expect(await focused(page)).toBe('The new one');
    });

    /** Opens a list whose rows are of different heights, and taller further down. */
    async function openLongList() {
      const email = await registerUser(2_000);
      await lengthenDescriptions(email, 7, '1 + position / 250');
      return openProjects(email);
    }

    /** Adds lines, as many as the SQL expression says, to every nth description of a user. */
    async function lengthenDescriptions(email: string, nth: number, lineCount: string) {
      await withDatabase(backend.settings, (database) =>
        database.query(
          `update projects set description = description
             || replace(substr('${'.'.repeat(40)}', 1, ${lineCount}), '.', char(10) || 'One more line.')
           where position % ${nth} = 0
             and account_id = (select id from accounts where email = $1)`,
          [email],
        ),
      );
    }

    test.each([300, 5_000])(
      'the row at the top of a list of %i stays there when anything around it changes, and when the user comes back [CHOICE-110]',
      async (length) => {
        const isVirtualized = length > maxUnvirtualizedRows;
        const email = await registerUser(length);
        await lengthenDescriptions(email, 1, '(position * 7) % 40');
        const page = await openProjects(email);
        for (const field of ['title', 'description']) await replaceText(page, field, 'New');
        const position = Math.round(length * 0.65);
        await expect.poll(() => page.evaluate(scrollTowards, position)).toBe(true);
        const waitForList = async () => {
          await expect.poll(() => count(page, 'section[aria-busy=false]')).toBe(1);
        };
        // Safari has no scroll anchoring. Other browsers suspend it when a padding changes.
        const isAnchored =
          isVirtualized || (await page.evaluate(() => CSS.supports('overflow-anchor', 'auto')));
        const changes: Change[] = [
          ['an address bar is shown', () => page.resize(1000, 644)],
          ['an address bar is hidden', () => page.resize(1000, 700)],
          ...changesOf(isAnchored, [
            ['a narrower window', () => page.resize(700, 700)],
            ['something above the list', () => page.evaluate(insertAbove)],
          ]),
          ...changesOf(isVirtualized, [
            ['a narrow window', () => page.resize(400, 700)],
            ['a rotation', () => page.resize(700, 400)],
            ['the rotation back', () => page.resize(400, 700)],
            ['a larger text', () => page.evaluate(setTextSize, '150%')],
            ['the usual text', () => page.evaluate(setTextSize, '')],
          ]),
          [
            'a created project',
            async () => {
              await page.evaluate(() => document.querySelector('form')!.requestSubmit());
              await waitForText(page, '[role=status]', 'The project was created.');
            },
          ],
          [
            'another screen and back',
            async () => {
              await page.evaluate(() => void (location.hash = '#/about'));
              await waitForHeading(page, 'About Page');
              await page.evaluate(() => history.back());
              await waitForHeading(page, 'New Project');
              await waitForList();
            },
          ],
          [
            'a reload',
            async () => {
              await page.reload();
              await waitForApp(page);
              await waitForList();
            },
          ],
        ];
        const rowsAtTop: string[] = [];
        for (const [change, run] of changes) {
          await run();
          await page.evaluate(painted);
          rowsAtTop.push(`${change}: ${await page.evaluate(rowAtTop)}`);
        }
        expect(rowsAtTop).toEqual(changes.map(([change]) => `${change}: ${position}`));
      },
    );

    test('in a list of 300, the browser finds a row, End and Home go to the last and the first, and a selection has each title [CHOICE-57]', async () => {
      const page = await openProjects(await registerUser(300));
      expect(await page.evaluate(find, 'Project number 290')).toBe(true);
      await expect.poll(() => isInViewport(page, row(290))).toBe(true);
      await page.click('main h2');
      await page.press('End');
      await expect.poll(() => isInViewport(page, row(300))).toBe(true);
      await expect.poll(() => page.evaluate(isAtEnd)).toBe(true);
      await page.press('Home');
      await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
      const selected = await page.evaluate(
        ([first, last]) => {
          const [start, end] = [document.querySelector(first!)!, document.querySelector(last!)!];
          getSelection()!.setBaseAndExtent(start, 0, end, 1);
          return String(getSelection()).match(/Project number \d+$/gm);
        },
        [5, 290].map((position) => `${row(position)} [data-field=title]`),
      );
      expect(selected).toEqual(Array.from({ length: 286 }, (_, i) => `Project number ${5 + i}`));
    });

    test('a project starts on the side where its language starts, in the form and in the list', async () => {
      const page = await openProjects(await registerUser());
      const projects = [
        { title: 'English', side: 'left' },
        { title: 'עברית', side: 'right' },
        { title: 'العربية', side: 'right' },
      ];
      for (const [index, { title, side }] of projects.entries()) {
        await page.click(fieldSelector('title'));
        await page.type(title);
        const direction = await page.evaluate(
          () => getComputedStyle(document.querySelector('form [name=title]')!).direction,
        );
        expect(direction).toBe(side === 'left' ? 'ltr' : 'rtl');
        await page.click(fieldSelector('description'));
        await page.type(title);
        await page.click('form button');
        await expect.poll(() => count(page, 'main li')).toBe(index + 1);
        await expect.poll(() => value(page, 'title')).toBe('');
      }
      expect(await texts(page, 'main li [data-field=title]')).toEqual(
        projects.map(({ title }) => title),
      );
      for (const selector of ['main li [data-field=title]', 'main li [data-field=description]']) {
        const sides = await page.evaluate(
          (css) =>
            [...document.querySelectorAll(css)].map((element) => {
              const range = document.createRange();
              range.selectNodeContents(element);
              const text = range.getBoundingClientRect();
              const box = element.closest('[dir]')!.getBoundingClientRect();
              return text.left - box.left < box.right - text.right ? 'left' : 'right';
            }),
          selector,
        );
        expect([selector, ...sides]).toEqual([selector, ...projects.map(({ side }) => side)]);
      }
    });
  });
}

type Change = [name: string, run: () => Promise<unknown>];

const changesOf = (isKept: boolean, changes: Change[]) => (isKept ? changes : []);

declare global {
  interface Window {
    markedElements?: Element[];
    watchedFrames?: { frames: number; blank: string[] };
  }
}

const fieldSelector = (name: string) => `form [name=${name}]`;

const row = (position: number) => `main li[aria-posinset="${position}"]`;

/** Remembers all elements of the screen but the progress of the list. Returns their number. */
const markElements = (page: Page) =>
  page.evaluate(() => {
    window.markedElements = [...document.querySelectorAll('#root *:not(section > span)')];
    return window.markedElements.length;
  });

/** Returns how many of the remembered elements are still on the screen. */
const keptElements = (page: Page) =>
  page.evaluate(() => window.markedElements!.filter(({ isConnected }) => isConnected).length);

const isInViewport = (page: Page, selector: string) =>
  page.evaluate((css) => {
    const box = document.querySelector(css)?.getBoundingClientRect();
    return box !== undefined && box.bottom > 0 && box.top < innerHeight;
  }, selector);

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

/** These run in the page. */
const painted = () =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));

const isAtEnd = () => scrollY + innerHeight > document.documentElement.scrollHeight - 2;

const setTextSize = (size: string) => void (document.documentElement.style.fontSize = size);

const insertAbove = () => {
  const element = document.createElement('div');
  element.style.height = '300px';
  document.body.prepend(element);
};

/** Returns the position of the first row that is visible. */
const rowAtTop = () =>
  [...document.querySelectorAll('main li')].find((li) => li.getBoundingClientRect().bottom > 1)
    ?.ariaPosInSet;

/** Changes what translators and extensions change, but neither names nor the structure. */
function translate() {
  for (const element of document.querySelectorAll<HTMLElement>('html, body, #root *')) {
    for (const { name, value } of element.attributes) {
      if (/^(aria-(label|describedby|labelledby)|placeholder|title|alt|for|id)$/.test(name))
        element.setAttribute(name, `${value} traduit`);
    }
    Object.assign(element, { lang: 'fr', dir: 'rtl', title: 'Traduit', translate: false });
    element.classList.add('translated-rtl');
    element.style.fontFamily = 'serif';
    if (element instanceof HTMLInputElement) element.autocomplete = 'off';
    for (const node of element.childNodes) {
      if (node instanceof Text) node.data = `${node.data} traduit`;
    }
  }
}

/** Adds a form and a field as password managers and assistants do, in the way of the app's own. */
function addForms() {
  const field = document.createElement('input');
  field.name = 'extension';
  const form = document.createElement('form');
  form.append(field.cloneNode());
  document.body.prepend(form);
  const own = document.querySelector('#root form')!;
  const button = document.createElement('button');
  button.type = 'button';
  own.prepend(field, button);
  own.before(form.cloneNode(true));
}

/** Scrolls to a row, or towards it as long as it is not rendered. Returns whether it was there. */
function scrollTowards(position: number) {
  const rows = [...document.querySelectorAll('main li')];
  const target = rows.find(({ ariaPosInSet }) => ariaPosInSet === String(position));
  const first = rows.find((element) => element.getBoundingClientRect().bottom > 1)!;
  const box = (target ?? first).getBoundingClientRect();
  const skipped = target ? 0 : position - Number(first.ariaPosInSet);
  const distance = box.top + 1 + skipped * box.height;
  scrollBy({ top: distance, behavior: 'instant' });
  return Math.abs(distance) < 1;
}

/** Searches as the find bar does. Returns whether the text was found. */
const find = (text: string) => (window as unknown as { find(text: string): boolean }).find(text);

async function openScreen(page: Page, address: string, path: Route) {
  await page.goto(`${address}/#${exampleOf(path)}`);
  await waitForHeading(page, screens[path].heading);
  await waitForApp(page);
}

/** Waits until the app has taken over the prerendered screen. */
async function waitForApp(page: Page) {
  await expect.poll(() => count(page, 'template')).toBe(0);
}

const waitForHeading = (page: Page, name: string) => waitForText(page, 'h1', name);

async function waitForText(page: Page, selector: string, text: string) {
  await expect.poll(async () => (await texts(page, selector)).join('\n')).toContain(text);
}

const texts = (page: Page, selector: string) =>
  page.evaluate(
    (css) => [...document.querySelectorAll(css)].map(({ textContent }) => textContent ?? ''),
    selector,
  );

const count = (page: Page, selector: string) =>
  page.evaluate((css) => document.querySelectorAll(css).length, selector);

const hash = (page: Page) => page.evaluate(() => location.hash);

const value = (page: Page, field: string) =>
  page.evaluate(
    (name) => document.querySelector<HTMLInputElement>(`form [name=${name}]`)?.value,
    field,
  );

/** Returns the name of the focused field, or the text of another focused element. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    return element?.getAttribute('name') ?? element?.textContent;
  });

const hasFocusRing = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle === 'solid');

async function createProject(page: Page, title: string, description: string) {
  await replaceText(page, 'title', title);
  await replaceText(page, 'description', description);
  await page.click('form button');
}

async function fillCredentials(page: Page, email: string, secret = password) {
  await replaceText(page, 'email', email);
  await replaceText(page, 'password', secret);
}

/** Types over the present text of a field. */
async function replaceText(page: Page, field: string, text: string) {
  await page.click(fieldSelector(field));
  await page.evaluate(
    (name) => document.querySelector<HTMLInputElement>(`form [name=${name}]`)?.select(),
    field,
  );
  await page.type(text);
}

/** Returns a colour as red, green and blue, each 0 to 255. */
async function rgb(page: Page, selector: string, property: string) {
  const color = await page.evaluate(
    ([css, name]) => getComputedStyle(document.querySelector(css)!).getPropertyValue(name),
    [selector, property] as const,
  );
  return (color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
}

async function isRed(page: Page, selector: string, property: string) {
  const [red = 0, green = 0, blue = 0] = await rgb(page, selector, property);
  return red > 150 && red > green * 1.5 && red > blue * 1.5;
}
