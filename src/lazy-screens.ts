/** Fetches what the three screens need that work with the machines. */
export const loadLazyScreens = () => import('./lazy-chunk.ts');

/** The screens that come with it. */
export const lazyScreens = {
  '/register': 'RegisterScreen',
  '/login': 'LoginScreen',
  '/projects': 'ProjectsScreen',
} as const;

export type LazyPath = keyof typeof lazyScreens;
