import { useEffect, useEffectEvent, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { blockSize, maxUnvirtualizedRows, maxWholeRows } from './block-offsets.ts';
import { rowAt } from './row-elements.ts';
import { useMeasuredBlocks } from './use-measured-blocks.ts';
import { useReadingPlace } from './use-reading-place.ts';
import { focusList, useVisibleBlocks } from './use-visible-blocks.ts';

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
  const place = useReadingPlace(measured, rows, { isVirtualized, isLoading, historyEntry });
  const visible = useVisibleBlocks(measured, place, count);
  const { list, before, after, offsets } = measured;
  const { blocks } = visible;

  useLayoutEffect(() => {
    measured.measure(false);
    place.keep();
    visible.update();
  });

  const onScroll = useEffectEvent(() => {
    place.onScroll();
    visible.updateNow();
  });

  const onResize = useEffectEvent(() => {
    measured.measure(true);
    place.keep();
    visible.updateNow();
  });

  useEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    addEventListener('scroll', () => onScroll(), { passive: true, signal });
    addEventListener('resize', () => onResize(), { signal });
    // A change that moves a row or its end also changes the height of the page.
    const observer = new ResizeObserver(() => onResize());
    observer.observe(document.body);
    return () => {
      listeners.abort();
      observer.disconnect();
    };
  }, []);

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
      place.goTo({ index, above: -innerHeight / 2 });
      visible.updateNow();
      const row = rowAt(list.current, index);
      row?.scrollIntoView({ block: 'center' });
      return row;
    },
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
