import {
  createRootRoute,
  createRoute,
  createRouter,
  type RouterHistory,
} from '@tanstack/react-router';
import { AboutScreen } from './screens/about.tsx';
import { ErrorScreen, NotFoundScreen } from './screens/failure.tsx';
import { HomeScreen } from './screens/home.tsx';
import { Layout } from './screens/layout.tsx';
import { LoginScreen } from './screens/login.tsx';
import { ProjectsScreen } from './screens/projects.tsx';
import { RegisterScreen } from './screens/register.tsx';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** What the window's title begins with while this route is shown. */
    title?: string;
  }
  interface Register {
    router: AppRouter;
  }
}

const lost = {
  component: NotFoundScreen,
  staticData: { title: 'Unexpected Application Error!' },
};

// A path that is no path at all, like `/%`, matches nothing, not even `unknown`.
const root = createRootRoute({
  notFoundComponent: lost.component,
  staticData: lost.staticData,
});

// The error screen stands at the layout, and at no screen, so that it takes the place of the layout.
const layout = createRoute({
  getParentRoute: () => root,
  id: 'layout',
  component: Layout,
  errorComponent: ErrorScreen,
});

/** Every path that is not one of the five. */
const unknown = createRoute({ ...lost, getParentRoute: () => root, path: '$' });

const inLayout = { getParentRoute: () => layout };

const routes = root.addChildren([
  unknown,
  layout.addChildren([
    createRoute({ ...inLayout, path: '/', component: HomeScreen, staticData: { title: 'Home' } }),
    createRoute({
      ...inLayout,
      path: '/about',
      component: AboutScreen,
      staticData: { title: 'About' },
    }),
    createRoute({
      ...inLayout,
      path: '/register',
      component: RegisterScreen,
      staticData: { title: 'Sign up' },
    }),
    createRoute({
      ...inLayout,
      path: '/login',
      component: LoginScreen,
      staticData: { title: 'Sign in' },
    }),
    createRoute({
      ...inLayout,
      path: '/projects',
      component: ProjectsScreen,
      staticData: { title: 'Projects' },
    }),
  ]),
]);

export type AppRouter = ReturnType<typeof createAppRouter>;

/** The five routes, mounted on the history given: the fragment of the URL in the app, memory in a test. */
export function createAppRouter(history: RouterHistory) {
  return createRouter({ routeTree: routes, history });
}
