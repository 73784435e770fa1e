/** The screens by path: the link in the header, the heading, and the title of the window. */
export const screens = {
  '/': { link: 'Home', heading: 'Home', title: 'Home' },
  '/about': { link: 'About', heading: 'About Page', title: 'About' },
  '/projects': { link: 'Projects', heading: 'New Project', title: 'Projects' },
  '/register': { link: 'Sign up', heading: 'Create an account', title: 'Sign up' },
  '/login': { link: 'Sign in', heading: 'Sign in', title: 'Sign in' },
} as const;

export type Route = keyof typeof screens;
