import { useEffect, useEffectEvent, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { blockSize, maxUnvirtualizedRows, maxWholeRows } from './block-offsets.ts';
import { rowAt } from './row-elements.ts';
import { useMeasuredBlocks } from './use-measured-blocks.ts';
import { useReadingPlace } from './use-reading-place.ts';
import { useStoredPlace } from './use-stored-place.ts';
import { createUserScroll } from './user-scroll.ts';
import { focusList, useVisibleBlocks } from './use-visible-blocks.ts';

/** A scroll has ended when there was no event for that long. */
const scrollPauseMs = 300;

/**
 * Virtualizes a list: renders the rows in the viewport and around it. `before` and `after` are refs
 * for two empty elements as high as the rows that are not rendered. See
 * docs/decisions/0016-long-lists.md.
 */
export function useVirtualRows(
  rows: readonly { id?: unknown }[],
  { isLoading, historyEntry }: { isLoading: boolean; historyEntry: string | undefined },
) {
  const count = rows.length;
  const [isWhole, setWhole] = useState(false);
  const isPrinting = usePrinting();
  const canBeWhole = count <= maxWholeRows;
  const isLong = count > maxUnvirtualizedRows;
  const isVirtualized = isLong && !isWhole && !(canBeWhole && isPrinting);
  const measured = useMeasuredBlocks(count);
  const scroll = createUserScroll(measured);
  const reading = useReadingPlace(measured, scroll, rows, isVirtualized);
  const { place } = reading;
  useStoredPlace(reading, historyEntry, !isLoading && count > 0);
  const visible = useVisibleBlocks(measured, scroll, reading, count);
  const { list, before, after, offsets } = measured;
  const { blocks } = visible;

  useLayoutEffect(() => {
    measured.measure(false);
    reading.keep();
    visible.update();
  });

  useViewport({
    onScroll() {
      const { source, viewport } = place.current;
      if (source === 'stored') reading.keep();
      else if (scrollY !== viewport?.y) reading.onScroll();
      visible.updateNow();
    },
    onScrollEnd() {
      scroll.end();
      reading.keep();
      visible.updateNow();
    },
    onResize() {
      measured.measure(true);
      reading.keep();
      visible.updateNow();
    },
  });

  return {
    list,
    before,
    after,
    isVirtualized,
    isWhole: isLong && isWhole,
    /** The rendered rows: from `first` to before `end`. */
    first: isVirtualized ? blocks.first * blockSize : 0,
    end: isVirtualized ? Math.min(blocks.end * blockSize, count) : count,
    heightOfRows: offsets.heightOfRows,
    /** Renders all rows. Focuses the list, because the button for it disappears. */
    showAll: canBeWhole
      ? () => {
          flushSync(() => setWhole(true));
          focusList(list.current);
        }
      : undefined,
    /** Scrolls to a row and returns its element. */
    scrollToRow: (index: number): Element | undefined => {
      scroll.end();
      reading.setPlace({ row: index, offset: -innerHeight / 2, source: 'scroll' });
      visible.updateNow();
      const row = rowAt(list.current, index);
      row?.scrollIntoView({ block: 'center' });
      return row;
    },
  };
}

type ViewportEvents = { onScroll: () => void; onScrollEnd: () => void; onResize: () => void };

function useViewport(events: ViewportEvents) {
  const onScroll = useEffectEvent(events.onScroll);
  const onScrollEnd = useEffectEvent(events.onScrollEnd);
  const onResize = useEffectEvent(events.onResize);

  useEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onScrollEvent = () => {
      onScroll();
      // Not the event `scrollend`, which Safari has from version 26.2 on.
      clearTimeout(timer);
      timer = setTimeout(() => onScrollEnd(), scrollPauseMs);
    };
    addEventListener('scroll', onScrollEvent, { passive: true, signal });
    addEventListener('resize', () => onResize(), { signal });
    // A change that moves a row or its end also changes the height of the page.
    const observer = new ResizeObserver(() => onResize());
    observer.observe(document.body);
    return () => {
      clearTimeout(timer);
      listeners.abort();
      observer.disconnect();
    };
  }, []);
}

function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const listeners = new AbortController();
    // Synchronous, because the browser prints the page as it is after this event.
    const onPrint = ({ type }: Event) => flushSync(() => setPrinting(type === 'beforeprint'));
    for (const type of ['beforeprint', 'afterprint']) {
      addEventListener(type, onPrint, { signal: listeners.signal });
    }
    return () => listeners.abort();
  }, []);
  return isPrinting;
}
