/** Its title is the text of the link in the header, and the first part of the window title. */
type Screen = {
  title: string;
  heading: string;
  /** The look of its link in the header. */
  link?: 'nav' | 'outlined' | 'filled';
  /** Whether it is loaded with the actors, in the lazy chunk, when the user visits it. */
  isLazy: boolean;
};

/** The screens by their address, in the order of their links in the header. */
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

type RouteWith<Properties> = {
  [Each in Route]: (typeof screens)[Each] extends Properties ? Each : never;
}[Route];

const isRoute = (path: string): path is Route => Object.hasOwn(screens, path);

export type LazyRoute = RouteWith<{ isLazy: true }>;
export type HeaderRoute = RouteWith<{ link: string }>;

export const isLazy = (route: Route): route is LazyRoute => screens[route].isLazy;

export const routes = Object.keys(screens) as Route[];
export const headerRoutes = routes.filter(
  (route): route is HeaderRoute => 'link' in screens[route],
);

/** Matches what no screen does. */
export const notFoundRoute = '/$' as const;
export const errorTitle = 'Unexpected Application Error!';

/** Returns the screen of an address, in any case, with slashes at its ends, and marks after it. */
export const routeOf = (address: string): Route | undefined =>
  pathsOf(address)
    .map((path) => path.toLowerCase())
    .find(isRoute);

/** What users and mail programs leave after a link. Bounded, so that it takes linear time. */
const afterLink = /(?:(?![/\\%$])[\s\p{Cf}\p{P}\p{S}]){1,20}$/u;

/** What programs add to a link, encoded or not. */
const query = /(?:[?#&;]|%(?:3f|23|26|3b)).*$/is;

/**
 * Returns the decoded address: as it is, then without what is left after a link, or added to it.
 * Returns nothing if it cannot be decoded.
 */
function pathsOf(address: string): string[] {
  try {
    // Some programs encode it as a whole.
    const text = address.replace(/^%2f.*$/is, decodeURIComponent);
    const segments = segmentsOf(text);
    const last = segments.at(-1)?.replace(afterLink, '');
    const shorter = [...segments.slice(0, -1), ...(last ? [last] : [])];
    return [segments, shorter, segmentsOf(text.replace(query, ''))].map(
      (each) => `/${each.join('/')}`,
    );
  } catch {
    return [];
  }
}

/** Returns the decoded segments between slashes at either end. */
function segmentsOf(address: string): string[] {
  const encoded = address.split('/');
  const isText = (segment: string) => segment !== '';
  const end = encoded.findLastIndex(isText) + 1;
  return encoded.slice(encoded.findIndex(isText), end).map(decodeURIComponent);
}

/**
 * Returns the route that the fragment of a URL stands for. The router and the inline script read a
 * fragment by it. A fragment of no screen becomes one encoded segment (`#/a/b` becomes
 * `/%2F%2Fa%2Fb`), so that the router shows the error screen.
 */
export function addressOfFragment(hash: string): string {
  const [, text = ''] = hash.split(/[#?]/);
  return routeOf(text) ?? `/${encodeURIComponent(`/${text}`)}`;
}

export function windowTitle(address: string): string {
  const route = routeOf(address);
  return `${route ? screens[route].title : errorTitle} · Tracker App`;
}
