import { useSyncExternalStore } from 'react';

const subscribe = () => () => {};

/** Returns false in the prerendered page and while React hydrates it, then true. */
export const useHydrated = () =>
  useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  );
