import { createHashHistory, RouterProvider, type RouterHistory } from '@tanstack/react-router';
import { createActors, type Actors, type Clock, type Inspect } from './actors.ts';
import { createApi } from './api/api.ts';
import { AppContext } from './app-context.ts';
import { createAppRouter, type AppRouter } from './router.tsx';

export type AppOptions = {
  fetch?: (request: Request) => Promise<Response>;
  cookies?: () => string;
  history?: RouterHistory;
  clock?: Clock;
  inspect?: Inspect;
  log?: (what: string, reason: unknown) => void;
};

export type App = Actors & {
  router: AppRouter;
  element: React.ReactElement;
  /** Ends the actors and whatever they wait for. */
  stop: () => void;
};

/** The whole app, started. Whatever it needs of the world can be passed in; by default it is the browser's own. */
export function createApp({
  fetch = (request) => window.fetch(request),
  cookies = () => document.cookie,
  history = createHashHistory(),
  clock,
  inspect,
  log = (what, reason) => console.error(what, reason),
}: AppOptions = {}): App {
  const api = createApi({ origin: window.location.origin, fetch, cookies });
  const actors = createActors({
    api,
    log,
    ...(clock && { clock }),
    ...(inspect && { inspect }),
  });
  const router = createAppRouter(history);
  const { auth, projects } = actors;

  const leave = (from: string, to: '/login' | '/projects') => {
    if (router.state.location.pathname === from) void router.navigate({ to });
  };
  auth.on('registered', () => leave('/register', '/login'));
  auth.on('loggedIn', () => leave('/login', '/projects'));
  const unfollow = followRoute(router);
  auth.start();
  projects.start();

  return {
    ...actors,
    router,
    element: (
      <AppContext value={actors}>
        <RouterProvider router={router} />
      </AppContext>
    ),
    stop() {
      unfollow();
      auth.stop();
      projects.stop();
    },
  };
}

/** The window's title names the screen, and after a change of screen the focus is on its heading. */
function followRoute(router: AppRouter): () => void {
  return router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    const { matches } = router.state;
    const heading = document.querySelector('h1');
    const title = matches.at(-1)?.staticData.title;
    if (title) document.title = `${title} · Tracker App`;
    if (fromLocation && pathChanged) heading?.focus();
  });
}
