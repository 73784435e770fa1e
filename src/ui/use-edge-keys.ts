import { useEffect, useEffectEvent } from 'react';
import { isAtEnd, type ReadingPlace } from './use-reading-place.ts';
import type { VisibleBlocks } from './use-visible-blocks.ts';

const maxAttempts = 8;

/** Returns whether the browser would scroll the page to its start or end at this key. */
const scrollsToEdge = ({ key, target, shiftKey, altKey, defaultPrevented }: KeyboardEvent) =>
  (key === 'Home' || key === 'End') &&
  !(shiftKey || altKey || defaultPrevented) &&
  !(target instanceof Element && target.matches('input, textarea, select, [contenteditable]'));

/**
 * Scrolls a long list at the keys Home and End, and at a jump of the scroll bar to its end.
 * Invariant: the page is at its start or its end after one key.
 *
 * The destination of a smooth scroll is fixed when it starts, but the page changes its height on
 * the way. Correcting it at the end is too late: Chromium loses a key pressed meanwhile.
 */
export function useEdgeKeys(isLong: boolean, { read }: ReadingPlace, { updateNow }: VisibleBlocks) {
  const scrollToEnd = useEffectEvent(() => {
    // Repeated, because rows measured at the end may move it.
    for (let attempts = maxAttempts; attempts > 0; attempts -= 1) {
      scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
      read();
      updateNow();
      if (isAtEnd()) return;
    }
  });

  useEffect(() => {
    if (!isLong) return undefined;
    let lastY = scrollY;
    const onScroll = () => {
      // A shorter way to the end may be that of a reader, who would miss rows.
      if (scrollY - lastY > innerHeight && isAtEnd()) scrollToEnd();
      lastY = scrollY;
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (!scrollsToEdge(event)) return;
      event.preventDefault();
      if (event.key === 'End') scrollToEnd();
      else scrollTo({ top: 0, behavior: 'instant' });
    };
    const listeners = new AbortController();
    const { signal } = listeners;
    // Before other rows are measured, which may move the end.
    addEventListener('scroll', onScroll, { passive: true, capture: true, signal });
    addEventListener('keydown', onKeyDown, { signal });
    return () => listeners.abort();
  }, [isLong]);
}
