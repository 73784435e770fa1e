/** Loads the lazy chunk: the actors and the screens that use them. */
export const loadLazyScreens = () => import('./lazy-chunk.ts');

/** The export of the lazy chunk that renders each path. */
export const lazyScreens = {
  '/register': 'RegisterScreen',
  '/login': 'LoginScreen',
  '/projects': 'ProjectsScreen',
} as const;

export type LazyPath = keyof typeof lazyScreens;
