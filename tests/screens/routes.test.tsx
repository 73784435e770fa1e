import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderApp } from '../support/render-app.tsx';

test.each([
  ['/', 'Home', 'Home'],
  ['/about', 'About Page', 'About'],
  ['/register', 'Create an account', 'Sign up'],
  ['/login', 'Sign in', 'Sign in'],
  ['/projects', 'New Project', 'Projects'],
])('%s shows its screen', async (route, heading, title) => {
  await renderApp(route);
  expect(await screen.findByRole('heading', { level: 1, name: heading })).toBeDefined();
  expect(document.title).toBe(`${title} · Tracker App`);
});

test.each(['/nowhere', '/about/us', '/projects/1','/%','/%E0%A4%A','//evil.com','/about/', '/about?x=1', '', 'about'])('404 %s', async (route) => {
  const x = await renderApp(route);
  console.log(document.body.innerHTML, document.title, x.router.state.matches.map((m) => m.routeId));
});
