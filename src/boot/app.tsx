import { createHashHistory, RouterProvider, type RouterHistory } from '@tanstack/react-router';
import { ActorsContext } from '../actors-context.ts';
import type { Actors, ActorsOptions } from '../actors.ts';
import type { ApiOptions } from '../api/api.ts';
import { fetchWithPrefetchedList } from '../api/prefetched-list.ts';
import { addressOfFragment, windowTitle } from '../../shared/routes.ts';
import { createAppRouter, type AppRouter } from './router.tsx';
import { loadLazyChunk, retryLazyChunk, type LazyChunk } from './load-lazy-chunk.ts';

export type AppOptions = Partial<Omit<ActorsOptions, 'api' | 'session' | 'router'>> &
  Partial<Pick<ApiOptions, 'fetch' | 'cookies'>> & { history?: RouterHistory };

export type RunningApp = {
  router: AppRouter;
  /** Returns the actors. The first call loads the lazy chunk and starts them. */
  actors: () => Promise<Actors>;
  element: React.ReactElement;
  /** Stops the actors and aborts their calls. */
  stop: () => void;
};

/** Creates the whole app. Options replace what it takes from the browser by default. */
export function createApp({
  fetch = fetchWithPrefetchedList,
  cookies = () => document.cookie,
  history = createFragmentHistory(),
  log = (operationId, error) => console.error(operationId, error),
  ...options
}: AppOptions = {}): RunningApp {
  let actors: Actors | undefined;
  let isStopped = false;

  const load = () =>
    loadLazyChunk().then(start, (error: unknown) => {
      log('loadLazyChunk', error);
      void retryLazyChunk().then(() => router.invalidate());
    });

  function start(chunk: LazyChunk): LazyChunk {
    actors ??= startActors(chunk);
    return chunk;
  }

  const router = createAppRouter(history, { load });
  const unsubscribe = syncTitleAndFocus(router);

  function startActors({ createApi, createActors, createSession }: LazyChunk): Actors {
    const session = createSession();
    const { user, signInUnanswered } = session;
    const { origin } = window.location;
    const created = createActors({
      api: createApi({ origin, fetch, cookies, user, signInUnanswered }),
      session,
      router,
      log,
      ...options,
    });
    if (!isStopped) {
      for (const actor of Object.values(created)) actor.start();
    }
    return created;
  }

  return {
    router,
    actors: async () => {
      start(await loadLazyChunk());
      return actors!;
    },
    element: (
      <ActorsContext value={() => actors}>
        <RouterProvider router={router} />
      </ActorsContext>
    ),
    stop() {
      isStopped = true;
      unsubscribe();
      for (const actor of Object.values(actors ?? {})) actor.stop();
    },
  };
}

/**
 * Returns a history of URL fragments, which it reads as the inline script does. Its links are those
 * of the prerendered page, which does not know its URL.
 */
export function createFragmentHistory(): RouterHistory {
  const { history } = window;
  const addEventListener = window.addEventListener.bind(window);
  const removeEventListener = window.removeEventListener.bind(window);
  const location = {
    pathname: '',
    search: '',
    get hash() {
      return `#${addressOfFragment(window.location.hash)}`;
    },
  };
  return createHashHistory({
    window: { history, location, addEventListener, removeEventListener },
  });
}

/** Sets the window title after each navigation, and focuses the heading when the path changed. */
function syncTitleAndFocus(router: AppRouter): () => void {
  return router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    const heading = document.querySelector('h1');
    document.title = windowTitle(router.state.location.pathname);
    // What the user does beside the app, such as in a note of an extension, keeps the focus.
    const { activeElement, body } = document;
    const isInApp = [...body.children].some(
      (child) => child.contains(heading) && child.contains(activeElement),
    );
    if (fromLocation && pathChanged && (isInApp || activeElement === body)) heading?.focus();
  });
}
