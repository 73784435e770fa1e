/**
 * Renders the initial state of every screen to HTML that React can hydrate, with the app's own
 * components. Runs in Node during the build. `inline-script.ts` shows the result.
 */
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { renderToReadableStream, renderToStaticMarkup, renderToString } from 'react-dom/server';
import { emptyValues, schemaFields } from '../../generated/operations.ts';
import { ActorsContext } from '../actors-context.ts';
import { createActors } from '../actors.ts';
import { createApi } from '../api/api.ts';
import type { Project } from '../../machines/types.ts';
import { loadErrorMessage, loadLazyChunk } from './load-lazy-chunk.ts';
import { createAppRouter } from './router.tsx';
import * as schemas from '../screens/schemas.ts';
import { errorTitle, notFoundRoute, routes, screens, type Route } from '../../shared/routes.ts';
import { ErrorBanner } from '../ui/banner.tsx';
import { ErrorPage } from '../ui/error-page.tsx';
import { StyledLink } from '../ui/link.tsx';

/** Returns the error message of each field when it is empty, by its name: '' if it is optional. */
function requiredMessages(): Map<string, string> {
  const messages = new Map<string, string>();
  for (const schema of Object.values(schemas)) {
    for (const [name, field] of Object.entries(schema.shape)) {
      const message = field.safeParse('').error?.issues[0]?.message ?? '';
      if ((messages.get(name) ?? message) !== message)
        throw new Error(`Fields named "${name}" have different messages when they are empty.`);
      messages.set(name, message);
    }
  }
  return messages;
}

/** Returns templates of each screen, the load error and a list row, and the required messages. */
export async function renderTemplates(): Promise<string> {
  const templates = await Promise.all([...routes, notFoundRoute].map(renderTemplate));
  const loadError = renderToStaticMarkup(<ErrorBanner message={loadErrorMessage} />);
  const row = emptyValues(schemaFields.Project);
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

/** Renders a screen. Throws if it has no heading, or another one than its row says. */
async function renderTemplate(route: Route | typeof notFoundRoute): Promise<string> {
  const isError = route === notFoundRoute;
  const html = await renderScreen(isError ? '/nowhere' : route);
  const [, heading = ''] = /<h1[^>]*>([^<]*)/.exec(html) ?? [];
  if (heading !== (isError ? errorTitle : screens[route].heading))
    throw new Error(`${route} has the heading "${heading}".`);
  return `<template id="template:${route}">${html}</template>`;
}

const session = { user: () => undefined, signIn: () => {}, subscribe: () => () => {} };

async function renderScreen(address: string, rows?: Project[]): Promise<string> {
  const neverSettles = new Promise<never>(() => {});
  const api = createApi({
    origin: 'http://localhost',
    fetch: () => neverSettles,
    cookies: () => '',
  });
  const actors = createActors({ api, session, log: () => {} });
  if (rows) actors.projects.start().send({ type: 'rows.received', rows });
  const history = createMemoryHistory({ initialEntries: [address] });
  const router = createAppRouter(history, {
    load: loadLazyChunk,
  });
  await router.load();
  const element = (
    <ActorsContext value={() => actors}>
      <RouterProvider router={router} />
    </ActorsContext>
  );
  // `renderToString` leaves what a component throws to the browser, without a word.
  const thrown: unknown[] = [];
  const onError = (error: unknown) => void thrown.push(error);
  await (
    await renderToReadableStream(element, { onError })
  ).allReady;
  if (thrown.length > 0) throw thrown[0];
  const html = renderToString(element)
    .replaceAll('href="/', 'href="#/')
    // The inline script inserts the current year, because the build may be older.
    .replace(String(new Date().getFullYear()), 'YEAR');
  actors.projects.stop();
  return html;
}
