import { useEffect, useEffectEvent, useLayoutEffect, useState, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import { blockSize, maxUnvirtualizedRows, maxWholeRows } from './block-offsets.ts';
import { rowAt } from './row-elements.ts';
import {
  createUserScroll,
  useMeasuredBlocks,
  type MeasuredBlocks,
  type UserScroll,
} from './use-measured-blocks.ts';
import { useReadingPlace, type KeptPlace } from './use-reading-place.ts';
import { useStoredPlace } from './use-stored-place.ts';
import { focusList, useVisibleBlocks, type VisibleBlocks } from './use-visible-blocks.ts';

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
  const measured = useMeasuredBlocks(count);
  const { list, before, after, offsets } = measured;
  const { isVirtualized, isWhole, showAll } = useWholeList(count, list);
  const scroll = createUserScroll(measured);
  const reading = useReadingPlace(measured, scroll, rows, isVirtualized);
  useStoredPlace(reading, historyEntry, !isLoading && count > 0);
  const visible = useVisibleBlocks(measured, scroll, reading, count);
  const { blocks } = visible;

  useKeptPlace(measured, scroll, reading, visible);

  return {
    list,
    before,
    after,
    isVirtualized,
    isWhole,
    /** The rendered rows: from `first` to before `end`. */
    first: isVirtualized ? blocks.first * blockSize : 0,
    end: isVirtualized ? Math.min(blocks.end * blockSize, count) : count,
    heightOfRows: offsets.heightOfRows,
    showAll,
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

/** Keeps the place of the reader after each render, scroll and resize. */
function useKeptPlace(
  measured: MeasuredBlocks,
  scroll: UserScroll,
  reading: KeptPlace,
  visible: VisibleBlocks,
) {
  useLayoutEffect(() => {
    measured.measure(false);
    reading.keep();
    visible.update();
  });

  const onScroll = useEffectEvent(() => {
    const { source, viewport } = reading.place.current;
    if (source === 'stored') reading.keep();
    else if (scrollY !== viewport?.y) reading.onScroll();
    visible.updateNow();
  });

  const onScrollEnd = useEffectEvent(() => {
    scroll.end();
    reading.keep();
    visible.updateNow();
  });

  const onResize = useEffectEvent(() => {
    measured.measure(true);
    reading.keep();
    visible.updateNow();
  });

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

/** Decides whether a list is in the page as a whole: a user may show it so, and a print does. */
function useWholeList(count: number, list: RefObject<HTMLElement | null>) {
  const [isWhole, setWhole] = useState(false);
  const isPrinting = usePrinting();
  const canBeWhole = count <= maxWholeRows;
  const isLong = count > maxUnvirtualizedRows;
  return {
    isVirtualized: isLong && !isWhole && !(canBeWhole && isPrinting),
    isWhole: isLong && isWhole,
    /** Renders all rows. Focuses the list, because the button for it disappears. */
    showAll: canBeWhole
      ? () => {
          flushSync(() => setWhole(true));
          focusList(list.current);
        }
      : undefined,
  };
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
