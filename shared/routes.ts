import { fillPath, pathPattern } from './path-templates.ts';

type Params = Readonly<Record<string, string>>;

type Title = string | ((params: Params) => string);

/** Its title is the text of the link in the header, and the first part of the window title. */
type Screen = {
  heading: string;
  /** Whether it is loaded with the actors, in the lazy chunk, when the user visits it. */
  isLazy: boolean;
  /** An address of a screen with parameters, for prerendering and tests. */
  example?: `/${string}`;
} & ({ title: string; link: 'nav' | 'outlined' | 'filled' } | { title: Title; link?: never });

type Table = {
  [route: `/${string}`]: Screen;
  /** A parameter is a whole segment, such as `$projectId`. The header has no link to it. */
  [route: `/${string}$${string}`]: Screen & { link?: never; example: string };
};

/** The screens by the pattern of their address, in the order of their links in the header. */
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
} as const satisfies Table;

export type Route = keyof typeof screens;

type RouteWith<Properties> = {
  [Each in Route]: (typeof screens)[Each] extends Properties ? Each : never;
}[Route];

/** The screens in the lazy chunk. */
export type LazyRoute = RouteWith<{ isLazy: true }>;

/** The screens with a link in the header. */
export type HeaderRoute = RouteWith<{ link: string }>;

export const isLazy = (route: Route): route is LazyRoute => screens[route].isLazy;

const screenOf = (route: Route): Screen => screens[route];

export const routes = Object.keys(screens) as Route[];
export const headerRoutes = routes.filter(
  (route): route is HeaderRoute => 'link' in screens[route],
);

/** Matches what no screen does. */
export const notFoundRoute = '/$' as const;
export const errorTitle = 'Unexpected Application Error!';

/** Static segments before parameters, because the router prefers them. `$` sorts before letters. */
const inOrderOfMatching = routes.toSorted().toReversed();

/** Returns the screen of an address, in any case, with slashes at its ends, and marks after it. */
export function routeOf(address: string): { route: Route; params: Params } | undefined {
  for (const path of pathsOf(address)) {
    for (const route of inOrderOfMatching) {
      const match = pathPattern(route, 'i').exec(path);
      if (!match) continue;
      const params = Object.entries({ ...match.groups });
      return {
        route,
        params: Object.fromEntries(params.map(([name, text]) => [name, decodeURIComponent(text)])),
      };
    }
  }
  return undefined;
}

/** What users and mail programs leave after a link. Bounded, so that it takes linear time. */
const afterLink = /(?:(?![/\\%$])[\s\p{Cf}\p{P}\p{S}]){1,20}$/u;

/** What programs add to a link, encoded or not. */
const query = /(?:[?#&;]|%(?:3f|23|26|3b)).*$/is;

/**
 * Returns the address with each segment encoded alike: as it is, then without what is left after a
 * link, or added to it. Returns nothing if it cannot be decoded.
 */
function pathsOf(address: string): string[] {
  try {
    // Some programs encode it as a whole.
    const text = address.replace(/^%2f.*$/is, decodeURIComponent);
    const segments = segmentsOf(text);
    const last = segments.at(-1)?.replace(afterLink, '');
    const shorter = [...segments.slice(0, -1), ...(last ? [last] : [])];
    return [segments, shorter, segmentsOf(text.replace(query, ''))].map(
      (each) => `/${each.map(encodeURIComponent).join('/')}`,
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

/** Returns the address of a screen. A link to it has this address after a `#`. */
export const addressOf = (route: Route, params: Params): string => fillPath(route, params);

/** Returns an address that shows the screen. */
export const exampleOf = (route: Route): string => screenOf(route).example ?? route;

/**
 * Returns the address that the fragment of a URL stands for, as `addressOf` spells it. The router
 * and the inline script read a fragment by it. A fragment of no screen becomes one encoded
 * segment (`#/a/b` becomes `/%2F%2Fa%2Fb`), so that the router shows the error screen.
 */
export function addressOfFragment(hash: string): string {
  const [, text = ''] = hash.split(/[#?]/);
  const found = routeOf(text);
  return found ? addressOf(found.route, found.params) : `/${encodeURIComponent(`/${text}`)}`;
}

/** Returns the title of a screen, by default that of its example. */
export function titleOf(route: Route, params = routeOf(exampleOf(route))?.params ?? {}): string {
  const { title } = screenOf(route);
  return typeof title === 'string' ? title : title(params);
}

export function windowTitle(address: string): string {
  const found = routeOf(address);
  return `${found ? titleOf(found.route, found.params) : errorTitle} · Tracker App`;
}
