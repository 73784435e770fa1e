/** Fetches what the three screens need that work with the machines. */
export const fetchWork = () => import('./lazy-chunk.ts');

/** The screens that come with it. */
export const worked = {
  '/register': 'RegisterScreen',
  '/login': 'LoginScreen',
  '/projects': 'ProjectsScreen',
} as const;

export type WorkPath = keyof typeof worked;
