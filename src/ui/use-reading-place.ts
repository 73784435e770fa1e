import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';
import { indexOf, rowAt, rowAtTop } from './row-elements.ts';
import type { MeasuredBlocks } from './use-measured-blocks.ts';

/** A row, and how many pixels of it are above the viewport: negative if its top is further down. */
type Place = {
  index: number;
  above: number;
  /** The height of the row, if it was rendered. */
  height?: number;
  /** The id of the row, which may have another index in the next list. */
  id?: unknown;
};

/** Returns whether the viewport is at the end of the page, to within a fractional zoom. */
const isAtEnd = () => scrollY + innerHeight > document.documentElement.scrollHeight - 2;

const listStart: Place = { index: 0, above: 0 };

export type ReadingPlace = ReturnType<typeof useReadingPlace>;

/**
 * Keeps the row at the top of the viewport of a virtualized list. Invariant: after `keep`, the row
 * is where the user has scrolled it to, also after a change above or around it. While the first row
 * is further down, the browser does the same for the rest of the page. A list that is in the page
 * as a whole is left to the browser, once the row is in its place.
 *
 * A place belongs to an entry of the history. It is restored when the user comes back to the entry,
 * in a list of any length, because browsers restore it only if the rows are there at once.
 */
export function useReadingPlace(
  { list, before, placeAtTop }: MeasuredBlocks,
  rows: readonly { id?: unknown }[],
  {
    isVirtualized,
    isLoading,
    historyEntry,
  }: { isVirtualized: boolean; isLoading: boolean; historyEntry: string | undefined },
) {
  const place = useRef(listStart);
  /**
   * The scroll position of a virtualized list when its place was set. At another one, the user has
   * scrolled since. A list in the page as a whole has none. So the place of a list that has just
   * been virtualized, or put into the page as a whole, holds at any position.
   */
  const placeY = useRef<number>(undefined);
  /** The width of the viewport at that moment. Phones scroll the page when they are rotated. */
  const placeWidth = useRef<number>(undefined);
  const isRestoring = useRef(false);
  const lastRows = useRef(rows);

  function goTo(next: Place) {
    place.current = { ...next, id: lastRows.current[next.index]?.id };
    onPlaced();
  }

  function onPlaced() {
    const { index, above } = place.current;
    placeY.current = isVirtualized ? scrollY : undefined;
    placeWidth.current = innerWidth;
    // One at a time moves the page: the browser or `keep`.
    const isKept = isVirtualized && (index > 0 || above > 0);
    document.documentElement.style.overflowAnchor = isKept ? 'none' : '';
  }

  /** Takes the row that is at the top of the viewport now. */
  function read() {
    if (isRestoring.current) return;
    const row = rowAtTop(list.current) ?? (before.current ? null : list.current?.lastElementChild);
    const { top = 0, height = 0 } = row?.getBoundingClientRect() ?? {};
    if (row && (top <= 1 || indexOf(row) === 0)) {
      goTo({ index: indexOf(row), above: -top, height });
    } else goTo(before.current ? placeAtTop() : listStart);
  }

  /** Scrolls the row to where it was. */
  function keep() {
    const isPlaced = placeY.current !== undefined;
    if (!isVirtualized && !isPlaced && !isRestoring.current) {
      read();
      return;
    }
    const { index, above, height } = place.current;
    const row = rowAt(list.current, index);
    if (!row || (index === 0 && above <= 0 && !isRestoring.current)) return;
    // At the end of the page, the browser may have scrolled because the page is lower now.
    const hasScrolled = isPlaced && scrollY !== placeY.current && innerWidth === placeWidth.current;
    if (isVirtualized && hasScrolled && !isRestoring.current && !isAtEnd()) {
      read();
      return;
    }
    const box = row.getBoundingClientRect();
    const scale = above > 0 && height ? box.height / height : 1;
    const distance = box.top + above * scale;
    if (Math.abs(distance) >= 1) scrollBy({ top: distance, behavior: 'instant' });
    onPlaced();
    if (!height) read();
  }

  function onScroll() {
    if (isRestoring.current) keep();
    else if (scrollY !== placeY.current) read();
  }

  useLayoutEffect(() => {
    const key = `place:${keyOfEntry(historyEntry)}`;
    // The browser would scroll to where the row was when other rows had other heights.
    history.scrollRestoration = 'manual';
    const stored = readStorage(key);
    if (stored) place.current = stored;
    isRestoring.current = stored !== undefined;
    const store = () => writeStorage(key, place.current);
    addEventListener('pagehide', store);
    return () => {
      removeEventListener('pagehide', store);
      store();
      history.scrollRestoration = 'auto';
      document.documentElement.style.overflowAnchor = '';
    };
  }, [historyEntry]);

  useLayoutEffect(() => {
    const { index, id } = place.current;
    lastRows.current = rows;
    if (id === undefined || rows[index]?.id === id) return;
    const newIndex = rows.findIndex((row) => row.id === id);
    if (newIndex >= 0) place.current.index = newIndex;
  }, [rows]);

  useLayoutEffect(() => {
    if (isLoading || rows.length === 0) return undefined;
    // Not yet: the router scrolls to the top of a screen that it has rendered.
    const frame = requestAnimationFrame(() => {
      isRestoring.current = false;
    });
    return () => cancelAnimationFrame(frame);
  }, [isLoading, rows]);

  const stopRestoring = useEffectEvent(() => {
    if (!isRestoring.current) return;
    isRestoring.current = false;
    read();
  });

  useEffect(() => {
    const listeners = new AbortController();
    const options = { passive: true, signal: listeners.signal };
    for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown']) {
      addEventListener(type, () => stopRestoring(), options);
    }
    return () => listeners.abort();
  }, []);

  return { place, goTo, read, keep, onScroll };
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
