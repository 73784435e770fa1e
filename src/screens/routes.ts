type Screen = {
  /** The link in the header, and the first part of the window title. */
  title: string;
  heading: string;
  /** How the link looks. */
  link: 'nav' | 'outlined' | 'filled';
  /** Whether it is loaded with the actors, in the lazy chunk, when the user visits it. */
  isLazy: boolean;
};

/** The screens by path, in the order of their links. */
export const screens = {
  '/': { title: 'Home', heading: 'Home', link: 'nav', isLazy: false },
  '/about': { title: 'About', heading: 'About Page', link: 'nav', isLazy: false },
  '/projects': { title: 'Projects', heading: 'New Project', link: 'nav', isLazy: true },
  '/register': {
    title: 'Sign up',
    heading: 'Create an account',
    link: 'outlined',
    isLazy: true,
  },
  '/login': { title: 'Sign in', heading: 'Sign in', link: 'filled', isLazy: true },
} as const satisfies Record<`/${string}`, Screen>;

export type Route = keyof typeof screens;

/** The paths of the screens in the lazy chunk. */
export type LazyRoute = {
  [Each in Route]: (typeof screens)[Each]['isLazy'] extends true ? Each : never;
}[Route];

export const paths = Object.keys(screens) as Route[];
