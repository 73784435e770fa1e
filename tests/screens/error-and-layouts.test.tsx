import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { act, cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { PlainLayout } from '../../src/screens/layout.tsx';
import { LoginScreen } from '../../src/screens/login.tsx';
import { renderApp } from '../support/render-app.tsx';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** A screen inside the layout that no route uses. */
async function renderPlain(component: () => React.ReactElement) {
  const root = createRootRoute();
  const parent = createRoute({
    getParentRoute: () => root,
    id: 'layout',
    component: PlainLayout,
  });
  const index = createRoute({ getParentRoute: () => parent, path: '/', component });
  const router = createRouter({
    routeTree: root.addChildren([parent.addChildren([index])]),
    history: createMemoryHistory(),
  });
  await act(async () => {
    render(<RouterProvider router={router} />);
    await router.load();
  });
}

/** The app on a screen that breaks while it is drawn. */
async function renderBroken(
  broken = function broken(): never {
    throw new Error('The screen broke.');
  },
) {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const { projects, go } = await renderApp('/');
  vi.spyOn(projects, 'getSnapshot').mockImplementation(broken);
  await go('/projects');
  await screen.findByRole('heading', { level: 1, name: 'Unexpected Application Error!' });
}

test('[ERROR-9, CHOICE-39] a thrown error takes the place of the whole layout, with its message and, in development, its stack', async () => {
  await renderBroken();
  expect(screen.getByText('The screen broke.')).toBeDefined();
  expect(screen.getByText(/at .*broken/)).toBeDefined();
  expect(screen.queryByRole('banner')).toBeNull();
  expect(screen.queryByRole('contentinfo')).toBeNull();
});

test('[CHOICE-39] what was thrown is shown even if it is no error', async () => {
  await renderBroken(() => {
    throw 'Just words.';
  });
  expect(screen.getByText('Just words.')).toBeDefined();
});

test('after a thrown error there is a way out, which leads to a screen that works', async () => {
  await renderBroken();
  const way = screen.getByRole('link', { name: 'Go to the start page' });
  await userEvent.click(way);
  expect(await screen.findByRole('heading', { level: 1, name: 'Home' })).toBeDefined();
  expect(screen.getByRole('banner')).toBeDefined();
});

test('a screen without the app around it says what it lacks', () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  expect(() => render(<LoginScreen />)).toThrow('A screen needs the app around it');
});

test('[CHOICE-39] in what is built the stack stays out', async () => {
  vi.stubEnv('DEV', false);
  await renderBroken();
  expect(screen.getByText('The screen broke.')).toBeDefined();
  expect(screen.queryByText(/at .*broken/)).toBeNull();
});

test('[LAYOUT-2, CHOICE-40] the second layout has an empty navigation area above the content', async () => {
  await renderPlain(() => <h1>Content</h1>);
  const navigation = await screen.findByRole('navigation', { name: 'Main' });
  expect(navigation.childElementCount).toBe(0);
  expect(navigation.compareDocumentPosition(screen.getByRole('main'))).toBe(
    Node.DOCUMENT_POSITION_FOLLOWING,
  );
  expect(screen.getByRole('main').textContent).toBe('Content');
});

test('the second layout looks like the first', async () => {
  await renderApp('/');
  const looks = (...elements: (Element | null | undefined)[]) =>
    elements.map((element) => element?.className);
  const header = screen.getByRole('banner');
  const first = looks(header.parentElement, header, screen.getByRole('main'));
  cleanup();
  await renderPlain(() => <h1>Content</h1>);
  const navigation = await screen.findByRole('navigation');
  expect(looks(navigation.parentElement, navigation, screen.getByRole('main'))).toEqual(first);
});

test('[CHOICE-40] no route has an empty navigation area', async () => {
  for (const route of ['/', '/about', '/register', '/login', '/projects']) {
    const { go } = await renderApp(route);
    await go(route);
    for (const navigation of screen.getAllByRole('navigation')) {
      expect(navigation.childElementCount).toBe(5);
    }
  }
});
