import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  useLoaderData,
  type RouterHistory,
} from '@tanstack/react-router';
import { AboutScreen } from './screens/about.tsx';
import { ErrorScreen, NotFoundScreen } from './screens/error-screens.tsx';
import { HomeScreen } from './screens/home.tsx';
import { Layout } from './screens/layout.tsx';
import { AppContext } from './app-context.ts';
import type { Actors } from './actors.ts';
import { loadLazyScreens, lazyScreens, type LazyPath } from './lazy-screens.ts';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** What the window's title begins with while this route is shown. */
    title?: string;
  }
  interface Register {
    router: AppRouter;
  }
}

export type RouterContext = {
  /** Starts the actors, the first time. */
  actors: () => Promise<Actors>;
};

export const loadErrorMessage =
  'This page could not be loaded. Check your connection, then reload the page.';

const notFoundOptions = {
  component: NotFoundScreen,
  staticData: { title: 'Unexpected Application Error!' },
};

// A path that is no path at all, like `/%`, matches nothing, not even `unknown`.
const root = createRootRouteWithContext<RouterContext>()({
  notFoundComponent: notFoundOptions.component,
  staticData: notFoundOptions.staticData,
});

// The error screen stands at the layout, and at no screen, so that it takes the place of the layout.
const layout = createRoute({
  getParentRoute: () => root,
  id: 'layout',
  component: Layout,
  errorComponent: ErrorScreen,
});

/** Every path that is not one of the five. */
const notFoundRoute = createRoute({ ...notFoundOptions, getParentRoute: () => root, path: '$' });

const inLayout = { getParentRoute: () => layout };

/** A screen that is fetched, together with the actors, before it is shown. */
const lazyRoute = <Path extends LazyPath>(path: Path, title: string) =>
  createRoute({
    ...inLayout,
    path,
    staticData: { title },
    loader: async ({ context }) => {
      const [work, actors] = await Promise.all([loadLazyScreens(), context.actors()]).catch(
        (cause: unknown) => {
          throw new Error(loadErrorMessage, { cause });
        },
      );
      return { Screen: work[lazyScreens[path]], actors };
    },
    staleTime: Infinity, // fetched once
    component: LazyScreen,
  });

function LazyScreen() {
  const { Screen, actors } = useLoaderData({ strict: false }) as Loaded;
  return (
    <AppContext value={actors}>
      <Screen />
    </AppContext>
  );
}

type Loaded = { Screen: () => React.ReactElement; actors: Actors };

const routes = root.addChildren([
  notFoundRoute,
  layout.addChildren([
    createRoute({ ...inLayout, path: '/', component: HomeScreen, staticData: { title: 'Home' } }),
    createRoute({
      ...inLayout,
      path: '/about',
      component: AboutScreen,
      staticData: { title: 'About' },
    }),
    lazyRoute('/register', 'Sign up'),
    lazyRoute('/login', 'Sign in'),
    lazyRoute('/projects', 'Projects'),
  ]),
]);

/** What the window is called while these routes are shown. */
export function titleOf(matches: AppRouter['state']['matches']): string {
  const title = matches.at(-1)?.staticData.title;
  return title ? `${title} · Tracker App` : 'Tracker App';
}

export type AppRouter = ReturnType<typeof createAppRouter>;

/** The five routes, mounted on the history given: the fragment of the URL in the app, memory in a test. */
export function createAppRouter(history: RouterHistory, context: RouterContext) {
  return createRouter({ routeTree: routes, history, context, defaultPreload: 'intent' });
}
