import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  useLoaderData,
  type RouteComponent,
  type RouterHistory,
} from '@tanstack/react-router';
import { useLayoutEffect, type ComponentType } from 'react';
import { AboutScreen } from '../screens/about.tsx';
import { ErrorScreen, LoadErrorScreen, NotFoundScreen } from '../screens/error-screens.tsx';
import { HomeScreen } from '../screens/home.tsx';
import { Layout } from '../screens/layout.tsx';
import { ActorsContext } from '../actors-context.ts';
import type { Actors } from '../actors.ts';
import { loadErrorMessage, type LazyChunk } from './lazy-screens.ts';
import { transferFormState } from './prerendered.ts';
import { paths, screens, type LazyRoute, type Route } from '../screens/routes.ts';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The first part of the window title. */
    title?: string;
  }
  interface Register {
    router: AppRouter;
  }
}

/** What the lazy screens need. */
export type Lazy = { chunk: LazyChunk; actors: Actors };

export type RouterContext = {
  /** Loads the lazy chunk and starts the actors. Returns nothing if the chunk is missing. */
  load: () => Promise<Lazy | void>;
};

/** Returns the component that takes the page over from the inline script when it is hydrated. */
const takingOver =
  <Props extends object>(Component: ComponentType<Props>) =>
  (props: Props) => {
    useLayoutEffect(transferFormState, []);
    return <Component {...props} />;
  };

const notFoundOptions = {
  component: takingOver(NotFoundScreen),
  staticData: { title: 'Unexpected Application Error!' },
};

// A path that cannot be decoded, such as `/%`, matches no route, not even `$`.
const rootRoute = createRootRouteWithContext<RouterContext>()({
  notFoundComponent: notFoundOptions.component,
  staticData: notFoundOptions.staticData,
});

// The only error boundary: the error screen replaces the layout and not just the screen inside it.
const layoutRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'layout',
  component: takingOver(Layout),
  errorComponent: takingOver(ErrorScreen),
});

/** Matches every path that no other route has. */
const notFoundRoute = createRoute({
  ...notFoundOptions,
  getParentRoute: () => rootRoute,
  path: '$',
});

const inLayout = { getParentRoute: () => layoutRoute };

let attempts = 0;

/** Returns the options of a route whose screen and actors are loaded before it renders. */
const lazyScreen = (path: LazyRoute) =>
  ({
    loader: {
      handler: async ({ context }: { context: RouterContext }) => {
        const attempt = ++attempts;
        const lazy = (await context.load()) ?? undefined;
        return { attempt, Screen: lazy?.chunk.lazyScreens[path], actors: lazy?.actors };
      },
      // Another attempt ends before a screen that could not be loaded is shown again.
      staleReloadMode: 'blocking',
    },
    component: () => <LazyScreen title={screens[path].title} />,
  }) as const;

function LazyScreen({ title }: { title: string }) {
  const { attempt, Screen, actors } = useLoaderData({ strict: false })!;
  if (!Screen) {
    return <LoadErrorScreen title={title} message={loadErrorMessage} attempt={attempt} />;
  }
  return (
    <ActorsContext value={actors}>
      <Screen />
    </ActorsContext>
  );
}

const eagerScreens: Record<Exclude<Route, LazyRoute>, RouteComponent> = {
  '/': HomeScreen,
  '/about': AboutScreen,
};

const isEager = (path: Route): path is keyof typeof eagerScreens => path in eagerScreens;

const routes = rootRoute.addChildren([
  notFoundRoute,
  layoutRoute.addChildren(
    paths.map((path) =>
      createRoute({
        ...inLayout,
        path,
        staticData: { title: screens[path].title },
        ...(isEager(path) ? { component: eagerScreens[path] } : lazyScreen(path)),
      }),
    ),
  ),
]);

/** Returns the window title for the matched routes. */
export function titleOf(matches: AppRouter['state']['matches']): string {
  const title = matches.at(-1)?.staticData.title;
  return title ? `${title} · Tracker App` : 'Tracker App';
}

export type AppRouter = ReturnType<typeof createAppRouter>;

/** Creates the router on a history: the URL fragment in the app, memory in tests. */
export function createAppRouter(history: RouterHistory, context: RouterContext) {
  return createRouter({ routeTree: routes, history, context, defaultPreload: 'intent' });
}
