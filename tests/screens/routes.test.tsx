import { readFileSync } from 'node:fs';
import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  addressOfFragment,
  errorTitle,
  headerRoutes,
  notFoundRoute,
  routeOf,
  routes,
  screens,
} from '../../shared/routes.ts';
import { createFragmentHistory } from '../../src/boot/app.tsx';
import { fragments } from '../../testing/fragments.ts';
import { credentials, email, password } from '../../testing/credentials-screen.tsx';
import { findScreen, renderApp } from '../../testing/render-app.tsx';

const specification = readFileSync('docs/specification.md', 'utf8');
const findHeading = (name: string) => screen.findByRole('heading', { level: 1, name });
const inHeader = () => within(screen.getByRole('banner'));

test.each(routes)(
  '%s shows its screen between header and footer, without an empty navigation area [CHOICE-40, ROUTE-2, ROUTE-3, ROUTE-4, ROUTE-5, ROUTE-6, LAYOUT-1]',
  async (route) => {
    await renderApp(route);
    await findHeading(screens[route].heading);
    expect(document.title).toBe(`${screens[route].title} · Tracker App`);
    const [header, main, footer] = ['banner', 'main', 'contentinfo'].map((role) =>
      screen.getByRole(role),
    );
    expect(header?.compareDocumentPosition(main!)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    expect(main?.compareDocumentPosition(footer!)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    const [navigation, other] = screen.getAllByRole('navigation');
    expect([navigation?.querySelectorAll('a').length, other]).toEqual([
      headerRoutes.length,
      undefined,
    ]);
  },
);

test.each([
  ['/', 'Home'],
  ['/about', 'About Page'],
])('%s shows only the text "%s" [HOME-1, ABOUT-1, CHOICE-37]', async (route, text) => {
  await renderApp(route);
  await findHeading(text);
  expect(screen.getByRole('main').textContent).toBe(text);
  expect(screen.getByRole('main').querySelector('p')).toBeNull();
});

test('the header has a brand and exactly these links [HEADER-1, HEADER-2, HEADER-3, HEADER-4, HEADER-5, HEADER-6, CHOICE-36]', async () => {
  await renderApp('/');
  await findHeading('Home');
  const navigation = inHeader().getByRole('navigation', { name: 'Main' });
  const links = within(navigation).getAllByRole('link');
  const specified = specification.matchAll(/\*\*HEADER-\d+\*\* "(.*?)".* to `(.*)`/g);
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual(
    [...specified].map(([, title, path]) => [title, path]),
  );
  expect(links.at(-1)?.textContent).toBe('Sign in');
  expect(screen.getByRole('banner').textContent).toMatch(/^Brand/);
  expect(inHeader().queryAllByRole('button')).toEqual([]);
});

test('the logo beside the brand has the colour of the theme [HEADER-1]', async () => {
  await renderApp('/');
  const logo = screen.getByRole('banner').querySelector('svg');
  expect(logo?.getAttribute('fill')).toBe('currentColor');
  expect(logo?.getAttribute('aria-hidden')).toBe('true');
});

test('a link of the header leads to its screen, Back to the one before, and the link of the current one has aria-current', async () => {
  const { user, router } = await renderApp('/');
  const current = () =>
    inHeader()
      .getAllByRole('link', { current: 'page' })
      .map(({ textContent }) => textContent);
  expect(current()).toEqual(['Home']);
  await user.click(inHeader().getByRole('link', { name: 'Projects' }));
  await waitFor(() => expect(current()).toEqual(['Projects']));
  act(() => router.history.back());
  await waitFor(() => expect(current()).toEqual(['Home']));
});

test('each screen has a main element of its own', async () => {
  const { go } = await renderApp('/');
  const main = screen.getByRole('main');
  await go('/about');
  await findHeading('About Page');
  expect(main.isConnected).toBe(false);
});

test('the footer has the name of the app and the current year [FOOTER-1, FOOTER-2, CONST-5]', async () => {
  vi.setSystemTime('2031-07-01');
  onTestFinished(() => void vi.useRealTimers());
  await renderApp('/');
  expect(screen.getByRole('contentinfo').textContent).toBe(
    '© 2031 Tracker App. All rights reserved.',
  );
});

test.each([
  ['/register', 'Create an account', 'Sign up'],
  ['/nowhere', 'Unexpected Application Error!', 'Unexpected Application Error!'],
])(
  'a navigation to %s focuses the heading and sets the window title',
  async (path, name, title) => {
    const { go } = await renderApp('/');
    expect(document.activeElement?.tagName).toBe('BODY');
    await go(path);
    const heading = await findHeading(name);
    await waitFor(() => expect(document.activeElement).toBe(heading));
    expect(heading.tabIndex).toBe(-1);
    expect(document.title).toBe(`${title} · Tracker App`);
  },
);

test.each(['/nowhere', '/about/us', '/nowhere/1', '//example.org'])(
  '%s shows the error screen, outside the layout [ROUTE-7, ERROR-9, CHOICE-38]',
  async (route) => {
    await renderApp(route);
    await findHeading('Unexpected Application Error!');
    expect(screen.getByText('404 Not Found')).toBeDefined();
    expect(screen.queryByRole('banner')).toBeNull();
    expect(screen.queryByRole('contentinfo')).toBeNull();
    expect(document.title).toBe('Unexpected Application Error! · Tracker App');
  },
);

/** Returns a history whose URL has this fragment. */
function openFragment(fragment: string) {
  location.hash = fragment;
  const history = createFragmentHistory();
  onTestFinished(() => {
    history.destroy();
    location.hash = '';
  });
  return history;
}

test.each(Object.entries(fragments))(
  'the router and the inline script take the fragment #%s for the same screen [ROUTE-1, ROUTE-7, CHOICE-98, CHOICE-104]',
  async (fragment, route) => {
    const history = openFragment(fragment);
    const { hash } = location;
    const { router } = await renderApp('', { history });
    const shown = routeOf(addressOfFragment(hash));
    expect([shown, router.state.matches.at(-1)?.fullPath]).toEqual([route, route ?? notFoundRoute]);
    await findHeading(route ? screens[route].heading : errorTitle);
    expect(router.state.location.pathname).toBe(addressOfFragment(hash));
    expect(location.hash).toBe(hash);
  },
);

test('a user who signs in at #/LOGIN/ is taken to the projects [CHOICE-4]', async () => {
  const { user, backend, path } = await renderApp('', { history: openFragment('/LOGIN/') });
  await findScreen('/login');
  await user.type(email(), credentials.email);
  await user.type(password(), `${credentials.password}{Enter}`);
  (await backend.next('login')).answer(200);
  await findScreen('/projects');
  expect(path()).toBe('/projects');
});
