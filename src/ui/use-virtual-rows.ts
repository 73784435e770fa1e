import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import {
  blockSize,
  createBlockOffsets,
  initialRowCount,
  maxUnvirtualizedRows,
} from './block-offsets.ts';

/** Rendered blocks: `from` inclusive, `to` exclusive. */
type BlockRange = { from: number; to: number };

const initialBlockCount = initialRowCount / blockSize;
const maxRangeUpdates = 8;

/**
 * Virtualizes a list of `count` rows: renders the rows in the viewport and half a screen on both
 * sides. `before` and `after` are refs for two empty elements as high as the rows that are not
 * rendered.
 */
export function useVirtualRows(count: number) {
  const list = useRef<HTMLUListElement>(null);
  const before = useRef<HTMLDivElement>(null);
  const after = useRef<HTMLDivElement>(null);
  const rangeUpdates = useRef(0);
  const [offsets] = useState(createBlockOffsets);
  const [range, setRange] = useState<BlockRange>({ from: 0, to: initialBlockCount });
  const isVirtualized = count > maxUnvirtualizedRows;
  const blockCount = Math.ceil(count / blockSize);
  const from = isVirtualized ? Math.min(range.from, blockCount - 1) : 0;
  const to = isVirtualized ? Math.min(Math.max(range.to, from + 1), blockCount) : blockCount;

  const updateRange = useCallback(() => {
    if (!isVirtualized || !before.current) return;
    const y = -before.current.getBoundingClientRect().top;
    const first = offsets.blockAt(y - innerHeight / 2, blockCount);
    const end = offsets.blockAt(y + 1.5 * innerHeight, blockCount) + 1;
    // Not fewer than at first, so that a list that has loaded keeps its prerendered rows.
    const next = { from: first, to: Math.max(end, first + initialBlockCount) };
    const focused = document.activeElement?.closest('[aria-posinset]');
    const block = Math.floor((Number(focused?.ariaPosInSet) - 1) / blockSize);
    if (list.current && (block < next.from || block >= next.to)) {
      // Removing the focused row would move the focus to the top of the page, so the list gets it.
      list.current.tabIndex = -1;
      list.current.focus({ preventScroll: true });
    }
    setRange((last) => (last.from === next.from && last.to === next.to ? last : next));
  }, [offsets, blockCount, isVirtualized]);

  useLayoutEffect(() => {
    if (!isVirtualized || !list.current || !before.current || !after.current) return;
    const [above, below] = [before.current.style, after.current.style];
    const resizeSpacers = () => {
      above.height = `${offsets.offsetOf(from)}px`;
      below.height = `${offsets.offsetOf(blockCount) - offsets.offsetOf(to)}px`;
    };
    // Written before the first read, so that one layout is enough when all heights are as expected.
    resizeSpacers();
    const rows = list.current.children;
    const bottom = list.current.offsetTop + list.current.offsetHeight;
    let hasChanged = false;
    for (let block = from; block < to; block += 1) {
      const row = rows[(block - from) * blockSize] as HTMLElement;
      const next = rows[(block + 1 - from) * blockSize] as HTMLElement | undefined;
      const height = (next?.offsetTop ?? bottom) - row.offsetTop;
      hasChanged = offsets.measure(block, height) || hasChanged;
    }
    if (!hasChanged) {
      rangeUpdates.current = 0;
      return;
    }
    resizeSpacers();
    // Limited, because with a user's own styles the heights may never settle.
    rangeUpdates.current += 1;
    if (rangeUpdates.current <= maxRangeUpdates) updateRange();
  });

  // `updateRange` changes with the number of rows.
  useLayoutEffect(updateRange, [updateRange]);

  useEffect(() => {
    // Synchronous, because the next frame would show an empty list.
    const onScroll = () => flushSync(updateRange);
    const onResize = () => {
      offsets.reset();
      flushSync(() => setRange((last) => ({ ...last })));
      onScroll();
    };
    addEventListener('scroll', onScroll, { passive: true });
    addEventListener('resize', onResize);
    return () => {
      removeEventListener('scroll', onScroll);
      removeEventListener('resize', onResize);
    };
  }, [updateRange, offsets]);

  /** Scrolls to a row and returns its element. */
  const scrollToRow = useCallback(
    (index: number): HTMLElement | undefined => {
      // Twice, because rows measured on the way may move the target.
      for (let attempts = isVirtualized ? 2 : 0; attempts > 0; attempts -= 1) {
        const start = before.current?.getBoundingClientRect().top ?? 0;
        const offset = offsets.offsetOf(Math.floor(index / blockSize));
        scrollBy(0, start + offset - innerHeight / 2);
        flushSync(updateRange);
      }
      const row = list.current?.querySelector<HTMLElement>(`[aria-posinset="${index + 1}"]`);
      row?.scrollIntoView({ block: 'center' });
      return row ?? undefined;
    },
    [isVirtualized, updateRange, offsets],
  );

  return {
    list,
    before,
    after,
    isVirtualized,
    first: from * blockSize,
    end: Math.min(to * blockSize, count),
    scrollToRow,
  };
}
