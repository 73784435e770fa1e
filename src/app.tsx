import { createHashHistory, RouterProvider, type RouterHistory } from '@tanstack/react-router';
import type { Actors, ActorsOptions } from './actors.ts';
import type { ApiOptions } from './api/api.ts';
import { createAppRouter, titleOf, type AppRouter } from './router.tsx';
import { loadLazyScreens } from './lazy-screens.ts';

export type AppOptions = Partial<Omit<ActorsOptions, 'api' | 'router'>> &
  Partial<Pick<ApiOptions, 'fetch' | 'cookies'>> & { history?: RouterHistory };

export type App = {
  router: AppRouter;
  /** Returns the actors. The first call loads the lazy chunk and starts them. */
  actors: () => Promise<Actors>;
  element: React.ReactElement;
  /** Stops the actors and aborts their calls. */
  stop: () => void;
};

/** Creates the whole app. Options replace what it takes from the browser by default. */
export function createApp({
  fetch = (request) => window.fetch(request),
  cookies = () => document.cookie,
  history = createFragmentHistory(),
  log = (operationId, error) => console.error(operationId, error),
  ...options
}: AppOptions = {}): App {
  let starting: Promise<Actors> | undefined;
  let running: Actors | undefined;
  let isStopped = false;
  const actors = () => (starting ??= start());
  const router = createAppRouter(history, { actors });
  const unsubscribe = syncTitleAndFocus(router);

  async function start(): Promise<Actors> {
    const { createApi, createActors } = await loadLazyScreens().catch((error: unknown) => {
      // The next visit of a lazy screen tries again.
      starting = undefined;
      throw error;
    });
    const started = createActors({
      api: createApi({ origin: window.location.origin, fetch, cookies }),
      router,
      log,
      ...options,
    });
    const { auth, projects } = started;
    if (isStopped) return started;
    running = started;
    auth.start();
    projects.start();
    return started;
  }

  return {
    router,
    actors,
    element: <RouterProvider router={router} />,
    stop() {
      isStopped = true;
      unsubscribe();
      running?.auth.stop();
      running?.projects.stop();
    },
  };
}

/** Returns a history whose links are those of the prerendered page, which does not know its URL. */
const createFragmentHistory = (): RouterHistory =>
  Object.assign(createHashHistory(), { createHref: (path: string) => `#${path}` });

/** Sets the window title after each navigation, and focuses the heading when the path changed. */
function syncTitleAndFocus(router: AppRouter): () => void {
  return router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    const heading = document.querySelector('h1');
    document.title = titleOf(router.state.matches);
    if (fromLocation && pathChanged) heading?.focus();
  });
}
