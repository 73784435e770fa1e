/**
 * Renders the initial state of every screen to HTML that React can hydrate, with the app's own
 * components. Runs in Node during the build. `inline-script.ts` shows the result.
 */
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { renderToStaticMarkup, renderToString } from 'react-dom/server';
import { createActors } from '../actors.ts';
import { createApi } from '../api/api.ts';
import type { Project } from '../../machines/types.ts';
import { loadErrorMessage, loadLazyScreens } from './lazy-screens.ts';
import { createAppRouter, titleOf } from './router.tsx';
import * as schemas from '../screens/schemas.ts';
import { paths, screens } from '../screens/routes.ts';
import { ErrorBanner } from '../ui/banner.tsx';
import { ErrorPage } from '../ui/error-page.tsx';
import { StyledLink } from '../ui/link.tsx';

/** Returns the error message of each field when it is empty, by the field's name. */
function requiredMessages(): Map<string, string> {
  const messages = new Map<string, string>();
  for (const schema of Object.values(schemas)) {
    for (const [name, field] of Object.entries(schema.shape)) {
      const message = field.safeParse('').error?.issues[0]?.message;
      if (message === undefined) continue;
      if ((messages.get(name) ?? message) !== message)
        throw new Error(`Fields named "${name}" have different messages when they are empty.`);
      messages.set(name, message);
    }
  }
  return messages;
}

/** Returns templates of each screen, the load error and a list row, and the required messages. */
export async function renderTemplates(): Promise<string> {
  // Also for every unknown path, and for every path that cannot be decoded.
  const templates = await Promise.all([...paths, '/*', '/%'].map((path) => renderScreen(path)));
  const loadError = renderToStaticMarkup(<ErrorBanner message={loadErrorMessage} />);
  const row = { id: 0, title: '', description: '' };
  const [list = ''] = /<div><ul.*<\/ul><\/div>/.exec(await renderScreen('/projects', [row])) ?? [];
  const required = [...requiredMessages()].map(([name, message]) => ` data-${name}="${message}"`);
  return `<div id="templates" hidden>${templates.join('')}<template id="template:load-error">${loadError}</template><template id="template:row">${list}</template><template id="template:required"${required.join('')}></template></div>`;
}

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
  const actors = createActors({ api, log: () => {} });
  if (rows) actors.projects.start().send({ type: 'rows.received', rows });
  const history = createMemoryHistory({ initialEntries: [path] });
  const router = createAppRouter(history, {
    load: async () => ({ chunk: await loadLazyScreens(), actors }),
  });
  await router.load();
  const html = renderToString(<RouterProvider router={router} />)
    .replaceAll('href="/', 'href="#/')
    // The inline script inserts the current year, because the build may be older.
    .replace(String(new Date().getFullYear()), 'YEAR');
  actors.projects.stop();
  const lazy = paths.some((each) => each === path && screens[each].isLazy) ? ' data-lazy' : '';
  const title = titleOf(router.state.matches);
  return `<template id="template:${path}" title="${title}"${lazy}>${html}</template>`;
}
