import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { act, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { LoadErrorScreen } from '../../src/screens/error-screens.tsx';
import { PlainLayout } from '../../src/screens/layout.tsx';
import { LoginScreen } from '../../src/screens/login.tsx';
import { renderApp } from '../../testing/render-app.tsx';

afterEach(() => void vi.unstubAllEnvs());

/** Renders a heading in the layout that no route uses. */
async function renderPlainLayout() {
  const root = createRootRoute();
  const layout = createRoute({ getParentRoute: () => root, id: 'layout', component: PlainLayout });
  const index = createRoute({
    getParentRoute: () => layout,
    path: '/',
    component: () => <h1>Content</h1>,
  });
  const router = createRouter({
    routeTree: root.addChildren([layout.addChildren([index])]),
    history: createMemoryHistory(),
  });
  await act(async () => {
    render(<RouterProvider router={router} />);
    await router.load();
  });
}

/** Renders the app, then navigates to a screen that throws while it renders. */
async function renderThrowing(
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

test('a thrown error replaces the layout, and development shows its stack [ERROR-9, CHOICE-39]', async () => {
  await renderThrowing();
  expect(screen.getByText('The screen broke.')).toBeDefined();
  expect(screen.getByText(/at .*broken/)).toBeDefined();
  expect(screen.queryByRole('banner')).toBeNull();
  expect(screen.queryByRole('contentinfo')).toBeNull();
});

test('a thrown value that is not an Error is shown as text [CHOICE-39]', async () => {
  await renderThrowing(() => {
    throw 'Just words.';
  });
  expect(screen.getByText('Just words.')).toBeDefined();
});

test('a build shows no stack [CHOICE-39]', async () => {
  vi.stubEnv('DEV', false);
  await renderThrowing();
  expect(screen.getByText('The screen broke.')).toBeDefined();
  expect(screen.queryByText(/at .*broken/)).toBeNull();
  expect(screen.getByRole('main').querySelector('pre')).toBeNull();
});

test('the link of the error screen leads to a working screen', async () => {
  await renderThrowing();
  await userEvent.click(screen.getByRole('link', { name: 'Go to the start page' }));
  expect(await screen.findByRole('heading', { level: 1, name: 'Home' })).toBeDefined();
  expect(screen.getByRole('banner')).toBeDefined();
});

test('a screen rendered outside the app throws an error that says so', () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  expect(() => render(<LoginScreen />)).toThrow('A screen needs the app around it');
});

test('the second layout has an empty navigation area above the content [LAYOUT-2, CHOICE-40]', async () => {
  await renderPlainLayout();
  const navigation = await screen.findByRole('navigation', { name: 'Main' });
  expect(navigation.childElementCount).toBe(0);
  expect(navigation.compareDocumentPosition(screen.getByRole('main'))).toBe(
    Node.DOCUMENT_POSITION_FOLLOWING,
  );
  expect(screen.getByRole('main').textContent).toBe('Content');
});

test('the heading has the focus when the screen replaces its load error [CHOICE-71]', () => {
  const { rerender } = render(<LoadErrorScreen title="Error" message="Lost." attempt={1} />);
  rerender(<h1 tabIndex={-1}>Projects</h1>);
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Projects' }));
});
