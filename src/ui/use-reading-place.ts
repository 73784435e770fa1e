import { useLayoutEffect, useRef } from 'react';
import { distanceTo, hasScrolled, atStart, placeAt, placeIn, type Place } from './reading-place.ts';
import { indexOf, rowAt, rowAtTop } from './row-elements.ts';
import type { MeasuredBlocks, UserScroll } from './use-measured-blocks.ts';

const pixelsBelow = () => document.documentElement.scrollHeight - innerHeight - scrollY;

/** The page is at its end to within a fractional zoom. */
const viewport = () => ({ y: scrollY, width: innerWidth, isAtEnd: pixelsBelow() < 2 });

export type KeptPlace = ReturnType<typeof useReadingPlace>;

/**
 * Keeps the row at the top of the viewport. Invariant: after `keep`, the row is where the user has
 * scrolled it to, also after a change above it. The browser keeps it in a list that is in the page
 * as a whole, once the row is in its place.
 */
export function useReadingPlace(
  { list, after }: MeasuredBlocks,
  scroll: UserScroll,
  rows: readonly { id?: unknown }[],
  isVirtualized: boolean,
) {
  const place = useRef(atStart);

  function setPlace(next: Place) {
    place.current = { ...next, viewport: isVirtualized ? viewport() : undefined };
    // One at a time moves the page: the browser or `keep`.
    const isKept = isVirtualized && next.source !== 'start';
    document.documentElement.style.overflowAnchor = isKept ? 'none' : '';
  }

  /** Takes the row at the top of the viewport, or the last one, if it is yet to be rendered. */
  function read() {
    const element = rowAtTop(list.current);
    const { top = 0 } = element?.getBoundingClientRect() ?? {};
    const isInView = element && (top < innerHeight || indexOf(element) === 0);
    let { row, offset } = isInView ? { row: indexOf(element), offset: -top } : scroll.jump();
    const { isAtEnd } = viewport();
    if (isAtEnd && !rowAt(list.current, rows.length - 1)) row = rows.length - 1;
    setPlace({ ...placeAt(row, offset, isAtEnd), id: rows[row]?.id });
  }

  function onScroll() {
    scroll.start();
    read();
  }

  /** Moves the row to where it was. */
  function keep() {
    const { source, row } = place.current;
    const box = rowAt(list.current, row)?.getBoundingClientRect();
    if (hasScrolled(place.current, viewport())) onScroll();
    else if (!isVirtualized && !place.current.viewport && source !== 'stored') read();
    else if (source !== 'start' && box) {
      const toEnd = pixelsBelow() - (after.current?.offsetHeight ?? 0);
      const distance = source === 'end' ? toEnd : distanceTo(place.current, box);
      const isMoved = Math.abs(distance) < 1 || scroll.shift(-distance);
      if (!isMoved) scrollBy({ top: distance, behavior: 'instant' });
      if (source === 'stored') setPlace(place.current);
      else read();
    }
  }

  useLayoutEffect(() => {
    place.current = placeIn(rows, place.current);
  }, [rows]);

  return { place, setPlace, read, keep, onScroll };
}
