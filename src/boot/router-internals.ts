import type { AnyRouter } from '@tanstack/react-router';

/** Sets fields of the router that its documentation lacks. Tests of the hydration fail without. */
export function prepareHydration(router: AnyRouter): void {
  // The router then renders the Suspense boundaries that it rendered in Node, and no others.
  router.ssr = { manifest: undefined };
  // It scrolls to the top of the first screen that it renders, which would lose the position.
  // oxlint-disable-next-line no-underscore-dangle
  router._scroll.n = false;
}
