/**
 * What is seen until the app takes its place: every screen as it begins, drawn by the app's own components when it is built.
 * `first-view.ts` has it do what it can: its links lead on, and its forms can be filled.
 */
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { renderToStaticMarkup } from 'react-dom/server';
import { createActors } from '../actors.ts';
import { createApi } from '../api/api.ts';
import type { Project } from '../../machines/types.ts';
import { lazyScreens } from '../lazy-screens.ts';
import { createAppRouter, loadErrorMessage, titleOf } from '../router.tsx';
import { credentials, newProject } from '../screens/schemas.ts';
import { ErrorBanner } from '../ui/banner.tsx';

/** The last stands for all addresses that are none of the app's. */
const routes = ['/', '/about', '/register', '/login', '/projects', '/*'];

/** What the forms say of a field that was left empty, by the field's name. */
const required = Object.fromEntries(
  [
    credentials.safeParse({ email: '', password: '' }),
    newProject.safeParse({ title: '', description: '' }),
  ]
    .flatMap(({ error }) => error?.issues ?? [])
    .toReversed()
    .map(({ path, message }) => [path.join('.'), message]),
);

/**
 * A template of each screen, under its path, one of the banner that says that the app could not be loaded, and one of a list with
 * a row.
 */
export async function renderTemplates(): Promise<string> {
  const frames = await Promise.all(routes.map((path) => renderFrame(path)));
  const failed = renderToStaticMarkup(<ErrorBanner message={loadErrorMessage} />);
  const row = { id: 0, title: '', description: '' };
  const [list = ''] = /<div><ul.*<\/ul><\/div>/.exec(await renderFrame('/projects', [row])) ?? [];
  return `${frames.join('')}<template id="view:failed">${failed}</template><template id="view:row">${list}</template>`;
}

async function renderFrame(path: string, rows?: Project[]): Promise<string> {
  const never = new Promise<never>(() => {});
  const api = createApi({ origin: 'http://localhost', fetch: () => never, cookies: () => '' });
  const actors = createActors({ api, prefetchedRows: () => rows, log: () => {} });
  if (path === '/projects') actors.projects.start().send({ type: 'projects.opened' });
  const history = createMemoryHistory({ initialEntries: [path] });
  const router = createAppRouter(history, { actors: async () => actors });
  await router.load();
  const html = renderToStaticMarkup(<RouterProvider router={router} />, {
    identifierPrefix: `f${routes.indexOf(path)}`,
  });
  actors.projects.stop();
  const year = String(new Date().getFullYear());
  const still = html
    .replaceAll('href="/', 'href="#/')
    .replaceAll(/ name="(\w+)"/g, (name, field) => `${name} data-required="${required[field]}"`)
    // The visitor's own year, which the page's own script puts there.
    .replace(year, 'YEAR')
    .replace('<footer', '<footer data-year');
  const work = Object.hasOwn(lazyScreens, path) ? ' data-work' : '';
  const title = titleOf(router.state.matches);
  return `<template id="view:${path}" title="${title}"${work}>${still}</template>`;
}
