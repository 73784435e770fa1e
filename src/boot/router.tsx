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
import { loadErrorMessage, type LazyChunk } from './load-lazy-chunk.ts';
import { takeOver } from './prerendered.ts';
import {
  isLazy,
  notFoundRoute,
  routes,
  screens,
  type LazyRoute,
  type Route,
} from '../../shared/routes.ts';

declare module '@tanstack/react-router' {
  interface Register {
    router: AppRouter;
  }
}

export type RouterContext = {
  /** Loads the lazy chunk and starts the actors. Returns nothing if the chunk is missing. */
  load: () => Promise<LazyChunk | void>;
};

/** Returns the component that takes the page over from the inline script when it is hydrated. */
const takingOver =
  <Props extends object>(Component: ComponentType<Props>) =>
  (props: Props) => {
    useLayoutEffect(takeOver, []);
    return <Component {...props} />;
  };

const rootRoute = createRootRouteWithContext<RouterContext>()();

// The only error boundary: the error screen replaces the layout and not just the screen inside it.
const layoutRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'layout',
  component: takingOver(Layout),
  errorComponent: takingOver(ErrorScreen),
});

const everyOtherRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: notFoundRoute,
  component: takingOver(NotFoundScreen),
});

let attempts = 0;

/** Returns the options of a route whose screen and actors are loaded before it renders. */
const lazyScreen = (route: LazyRoute) =>
  ({
    loader: {
      handler: async ({ context }: { context: RouterContext }) => {
        const attempt = ++attempts;
        return { attempt, chunk: (await context.load()) ?? undefined };
      },
      // Another attempt ends before a screen that could not be loaded is shown again.
      staleReloadMode: 'blocking',
    },
    component: () => <LazyScreen route={route} />,
  }) as const;

function LazyScreen({ route }: { route: LazyRoute }) {
  const { attempt, chunk } = useLoaderData({ strict: false })!;
  const { title } = screens[route];
  if (!chunk) {
    return <LoadErrorScreen title={title} message={loadErrorMessage} attempt={attempt} />;
  }
  const Screen = chunk.lazyScreens[route];
  return <Screen />;
}

const eagerScreens: Record<Exclude<Route, LazyRoute>, RouteComponent> = {
  '/': HomeScreen,
  '/about': AboutScreen,
};

const optionsOf = (route: Route) =>
  isLazy(route) ? lazyScreen(route) : { component: eagerScreens[route] };

const screenRoute = <Path extends Route>(path: Path) =>
  createRoute({ getParentRoute: () => layoutRoute, path, ...optionsOf(path) });

/** One type for each path. Otherwise the router would not know which paths a link can have. */
type ScreenRoute = { [Path in Route]: ReturnType<typeof screenRoute<Path>> }[Route];

const screenRoutes = routes.map((route) => screenRoute(route) as ScreenRoute);

const routeTree = rootRoute.addChildren([everyOtherRoute, layoutRoute.addChildren(screenRoutes)]);

export type AppRouter = ReturnType<typeof createAppRouter>;

/** Creates the router on a history: the URL fragment in the app, memory in tests. */
export function createAppRouter(history: RouterHistory, context: RouterContext) {
  return createRouter({ routeTree, history, context, defaultPreload: 'intent' });
}
