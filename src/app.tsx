import { createHashHistory, RouterProvider, type RouterHistory } from '@tanstack/react-router';
import type { Actors, Clock, Inspect } from './actors.ts';
import type { Project } from '../machines/types.ts';
import { createAppRouter, titleOf, type AppRouter } from './router.tsx';
import { loadLazyScreens } from './lazy-screens.ts';

export type AppOptions = {
  fetch?: (request: Request) => Promise<Response>;
  /** See `ActorsOptions`. */
  prefetchedRows?: () => Project[] | undefined;
  cookies?: () => string;
  history?: RouterHistory;
  clock?: Clock;
  inspect?: Inspect;
  log?: (what: string, reason: unknown) => void;
};

export type App = {
  router: AppRouter;
  /** The actors, started when the first screen that works with them is about to be shown. */
  actors: () => Promise<Actors>;
  element: React.ReactElement;
  /** Ends the actors and whatever they wait for. */
  stop: () => void;
};

/** The whole app. Whatever it needs of the world can be passed in; by default it is the browser's own. */
export function createApp({
  fetch = (request) => window.fetch(request),
  prefetchedRows: arrived,
  cookies = () => document.cookie,
  history = createHashHistory(),
  clock,
  inspect,
  log = (what, reason) => console.error(what, reason),
}: AppOptions = {}): App {
  let starting: Promise<Actors> | undefined;
  let running: Actors | undefined;
  let isStopped = false;
  const actors = () => (starting ??= start());
  const router = createAppRouter(history, { actors });
  const unfollow = syncTitleAndFocus(router);

  async function start(): Promise<Actors> {
    const { createApi, createActors } = await loadLazyScreens().catch((reason: unknown) => {
      starting = undefined;
      throw reason;
    });
    const started = createActors({
      api: createApi({ origin: window.location.origin, fetch, cookies }),
      log,
      ...(arrived && { prefetchedRows: arrived }),
      ...(clock && { clock }),
      ...(inspect && { inspect }),
    });
    const { auth, projects } = started;
    auth.on('registered', () => navigateIfStillOn('/register', '/login'));
    auth.on('loggedIn', () => navigateIfStillOn('/login', '/projects'));
    if (isStopped) return started;
    running = started;
    auth.start();
    projects.start();
    return started;
  }

  function navigateIfStillOn(from: string, to: '/login' | '/projects') {
    if (router.state.location.pathname === from) void router.navigate({ to });
  }

  return {
    router,
    actors,
    element: <RouterProvider router={router} />,
    stop() {
      isStopped = true;
      unfollow();
      running?.auth.stop();
      running?.projects.stop();
    },
  };
}

/** The window's title names the screen, and after a change of screen the focus is on its heading. */
function syncTitleAndFocus(router: AppRouter): () => void {
  return router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    const { matches } = router.state;
    const heading = document.querySelector('h1');
    document.title = titleOf(matches);
    if (fromLocation && pathChanged) heading?.focus();
  });
}
