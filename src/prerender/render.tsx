/**
 * Renders the initial state of every screen to static HTML, with the app's own components. Runs in
 * Node during the build. `inline-script.ts` shows the result until the app takes over.
 */
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { renderToStaticMarkup } from 'react-dom/server';
import { createActors } from '../actors.ts';
import { createApi } from '../api/api.ts';
import type { Project } from '../../machines/types.ts';
import { lazyScreens } from '../lazy-screens.ts';
import { createAppRouter, loadErrorMessage, titleOf } from '../router.tsx';
import { credentialsSchema, newProjectSchema } from '../screens/schemas.ts';
import { ErrorBanner } from '../ui/banner.tsx';
import { ErrorPage } from '../ui/error-page.tsx';
import { StyledLink } from '../ui/link.tsx';

/** The routes of the app. The last one matches every unknown path. */
const paths = ['/', '/about', '/register', '/login', '/projects', '/*'];

/** The error message of each field when it is empty, by the field's name. */
const requiredMessages = Object.fromEntries(
  [
    credentialsSchema.safeParse({ email: '', password: '' }),
    newProjectSchema.safeParse({ title: '', description: '' }),
  ]
    .flatMap(({ error }) => error?.issues ?? [])
    .toReversed()
    .map(({ path, message }) => [path.join('.'), message]),
);

/** Returns `<template>` elements for each screen, for the load error and for a list row. */
export async function renderTemplates(): Promise<string> {
  const screens = await Promise.all(paths.map((path) => renderScreen(path)));
  const loadError = renderToStaticMarkup(<ErrorBanner message={loadErrorMessage} />);
  const row = { id: 0, title: '', description: '' };
  const [list = ''] = /<div><ul.*<\/ul><\/div>/.exec(await renderScreen('/projects', [row])) ?? [];
  return `${screens.join('')}<template id="template:load-error">${loadError}</template><template id="template:row">${list}</template>`;
}

/** Disables the buttons that submit no form: only the app can do what they promise. */
export const disableControls = (html: string): string =>
  html.replaceAll(/<button(?=[^>]* type="button")/g, '<button disabled=""');

/** Returns the `<main>` of the page that web servers send for an unknown address. */
export function renderNotFound(): string {
  return renderToStaticMarkup(
    <ErrorPage
      title="Page not found"
      message="There is nothing at this address."
      homeLink={
        <StyledLink variant="inline" href="./">
          Go to the start page
        </StyledLink>
      }
    />,
  );
}

async function renderScreen(path: string, rows?: Project[]): Promise<string> {
  const neverSettles = new Promise<never>(() => {});
  const api = createApi({
    origin: 'http://localhost',
    fetch: () => neverSettles,
    cookies: () => '',
  });
  const actors = createActors({ api, prefetchedRows: () => rows, log: () => {} });
  if (path === '/projects') actors.projects.start().send({ type: 'projects.opened' });
  const history = createMemoryHistory({ initialEntries: [path] });
  const router = createAppRouter(history, { actors: async () => actors });
  await router.load();
  const rendered = disableControls(
    renderToStaticMarkup(<RouterProvider router={router} />, {
      identifierPrefix: `f${paths.indexOf(path)}`,
    }),
  );
  actors.projects.stop();
  const html = rendered
    .replaceAll('href="/', 'href="#/')
    .replaceAll(
      / name="(\w+)"/g,
      (attribute, field) => `${attribute} data-required="${requiredMessages[field]}"`,
    )
    // The inline script inserts the current year, because the build may be older.
    .replace(String(new Date().getFullYear()), 'YEAR')
    .replace('<footer', '<footer data-year');
  const lazy = Object.hasOwn(lazyScreens, path) ? ' data-lazy' : '';
  const title = titleOf(router.state.matches);
  return `<template id="template:${path}" title="${title}"${lazy}>${html}</template>`;
}
