import { createHashHistory } from '@tanstack/react-router';
import { screen, waitFor, within } from '@testing-library/react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { renderApp } from '../support/render-app.tsx';

const heading = (name: string) => screen.findByRole('heading', { level: 1, name });
const links = () =>
  within(screen.getByRole('banner'))
    .getAllByRole('link')
    .map((link) => [link.textContent, link.getAttribute('href')]);

const screens = [
  ['/', 'Home', 'Home'],
  ['/about', 'About Page', 'About'],
  ['/register', 'Create an account', 'Sign up'],
  ['/login', 'Sign in', 'Sign in'],
  ['/projects', 'New Project', 'Projects'],
] as const;

test.each(screens)(
  '[ROUTE-2, ROUTE-3, ROUTE-4, ROUTE-5, ROUTE-6, LAYOUT-1] %s shows its screen between header and footer',
  async (route, text, title) => {
    await renderApp(route);
    await heading(text);
    expect(document.title).toBe(`${title} · Tracker App`);
    const [header, main, footer] = ['banner', 'main', 'contentinfo'].map((r) =>
      screen.getByRole(r),
    );
    expect(header?.compareDocumentPosition(main!)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    expect(main?.compareDocumentPosition(footer!)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  },
);

test('[ROUTE-1] the path is read from the fragment of the URL', async () => {
  window.location.hash = '#/about';
  const { go } = await renderApp('', { history: createHashHistory() });
  await heading('About Page');
  await go('/login');
  await heading('Sign in');
  expect(window.location.hash).toBe('#/login');
  expect(window.location.pathname).toBe('/');
});

test.each([
  ['/', 'Home'],
  ['/about', 'About Page'],
])('[HOME-1, ABOUT-1, CHOICE-37] %s shows nothing but "%s"', async (route, text) => {
  await renderApp(route);
  await heading(text);
  expect(screen.getByRole('main').textContent).toBe(text);
});

test('[HEADER-1, HEADER-2, HEADER-3, HEADER-4, HEADER-5, HEADER-6, CHOICE-36] the header has a brand and exactly these links', async () => {
  await renderApp('/');
  await heading('Home');
  expect(links()).toEqual([
    ['Home', '/'],
    ['About', '/about'],
    ['Projects', '/projects'],
    ['Sign up', '/register'],
    ['Sign in', '/login'],
  ]);
  expect(screen.getByRole('banner').textContent).toMatch(/^Brand/);
  expect(within(screen.getByRole('banner')).queryAllByRole('button')).toEqual([]);
});

test('the links of the header are the main navigation', async () => {
  await renderApp('/');
  const header = within(screen.getByRole('banner'));
  expect(
    within(header.getByRole('navigation', { name: 'Main' })).getAllByRole('link'),
  ).toHaveLength(5);
});

test('[HEADER-1] beside the brand stands the mark, in the colour of the theme', async () => {
  await renderApp('/');
  const mark = screen.getByRole('banner').querySelector('svg');
  expect(mark?.getAttribute('fill')).toBe('currentColor');
  expect(mark?.getAttribute('aria-hidden')).toBe('true');
});

test('the link of the screen that is shown says so', async () => {
  const { go } = await renderApp('/');
  const current = () =>
    within(screen.getByRole('banner'))
      .getAllByRole('link', { current: 'page' })
      .map(({ textContent }) => textContent);
  expect(current()).toEqual(['Home']);
  await go('/projects');
  await waitFor(() => expect(current()).toEqual(['Projects']));
});

test('[FOOTER-1, FOOTER-2, CONST-5] the footer names a tracker app and the year of today', async () => {
  vi.setSystemTime('2031-07-01');
  onTestFinished(() => void vi.useRealTimers());
  await renderApp('/');
  expect(screen.getByRole('contentinfo').textContent).toBe(
    '© 2031 Tracker App. All rights reserved.',
  );
});

test('after a change of screen the focus is on its heading, and the title names it', async () => {
  const { user } = await renderApp('/');
  expect(document.activeElement).toBe(document.body);
  await user.click(screen.getByRole('link', { name: 'Sign up' }));
  const title = await heading('Create an account');
  await waitFor(() => expect(document.activeElement).toBe(title));
  expect(title.tabIndex).toBe(-1);
  expect(document.title).toBe('Sign up · Tracker App');
});

test('a path that no screen has takes the focus to the heading of the error screen', async () => {
  const { go } = await renderApp('/');
  await go('/nowhere');
  const title = await heading('Unexpected Application Error!');
  await waitFor(() => expect(document.activeElement).toBe(title));
  expect(title.tabIndex).toBe(-1);
});

test.each(['/nowhere', '/about/us', '/projects/1', '/%', '/%E0%A4%A', '//example.org'])(
  '[ROUTE-7, ERROR-9, CHOICE-38] %s shows the error screen, outside the layout',
  async (route) => {
    await renderApp(route);
    await heading('Unexpected Application Error!');
    expect(screen.getByText('404 Not Found')).toBeDefined();
    expect(screen.queryByRole('banner')).toBeNull();
    expect(screen.queryByRole('contentinfo')).toBeNull();
    expect(document.title).toBe('Unexpected Application Error! · Tracker App');
  },
);

test('the error screen has a way out', async () => {
  const { user } = await renderApp('/nowhere');
  await user.click(await screen.findByRole('link', { name: 'Go to the start page' }));
  expect(await heading('Home')).toBeDefined();
});
