import { useEffect, useEffectEvent, useLayoutEffect } from 'react';
import type { Place } from './reading-place.ts';
import type { KeptPlace } from './use-reading-place.ts';

/**
 * Stores the place of the reader with an entry of the history. Restores it when the user comes back
 * to the entry, until the list has loaded or the user does something. Browsers restore it only if
 * the rows are there at once.
 */
export function useStoredPlace(
  { place, read, setPlace }: KeptPlace,
  historyEntry: string | undefined,
  hasLoaded: boolean,
) {
  const restore = useEffectEvent((stored: Place) => setPlace({ ...stored, source: 'stored' }));

  useLayoutEffect(() => {
    const key = `place:${keyOfEntry(historyEntry)}`;
    // The browser would scroll to where the row was when other rows had other heights.
    history.scrollRestoration = 'manual';
    const stored = readStorage(key);
    if (stored) restore(stored);
    const store = () => writeStorage(key, place.current);
    addEventListener('pagehide', store);
    return () => {
      removeEventListener('pagehide', store);
      store();
      history.scrollRestoration = 'auto';
      document.documentElement.style.overflowAnchor = '';
    };
  }, [historyEntry, place]);

  const stopRestoring = useEffectEvent(() => {
    if (place.current.source === 'stored') read();
  });

  useLayoutEffect(() => {
    if (!hasLoaded) return undefined;
    // Not yet: the router scrolls to the top of a screen that it has rendered.
    const frame = requestAnimationFrame(() => stopRestoring());
    return () => cancelAnimationFrame(frame);
  }, [hasLoaded]);

  useEffect(() => {
    const listeners = new AbortController();
    const options = { passive: true, signal: listeners.signal };
    for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown']) {
      addEventListener(type, () => stopRestoring(), options);
    }
    return () => listeners.abort();
  }, []);
}

/** Returns the key of the current entry of the history. An entry without one gets `newKey`. */
function keyOfEntry(newKey: string | undefined): string | undefined {
  const state = history.state as { key?: string } | null;
  if (state?.key) return state.key;
  // Not the method of `history`, which the router replaces to follow navigations.
  History.prototype.replaceState.call(history, { ...state, key: newKey }, '');
  return newKey;
}

function readStorage(key: string): Place | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '') as Place;
  } catch {
    // The entry is new, or the user refuses storage.
    return undefined;
  }
}

function writeStorage(key: string, place: Place) {
  try {
    sessionStorage.setItem(key, JSON.stringify(place));
  } catch {
    // The user refuses storage, or it is full.
  }
}
