import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import {
  blockSize,
  createBlockOffsets,
  initialRowCount,
  maxWholeRows,
  maxUnvirtualizedRows,
} from './block-offsets.ts';

/** Rendered blocks: `from` inclusive, `to` exclusive. */
type BlockRange = { from: number; to: number };

const initialBlockCount = initialRowCount / blockSize;
const maxRangeUpdates = 8;

/** Returns whether the viewport is at the end of the page, to within a fractional zoom. */
const isAtEnd = () => scrollY + innerHeight > document.documentElement.scrollHeight - 2;

/** Returns whether the browser would scroll the page to its start or end at this key. */
const scrollsToEdge = ({ key, target, shiftKey, altKey, defaultPrevented }: KeyboardEvent) =>
  (key === 'Home' || key === 'End') &&
  !(shiftKey || altKey || defaultPrevented) &&
  !(target instanceof Element && target.matches('input, textarea, select, [contenteditable]'));

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
  const [isWhole, setWhole] = useState(false);
  const [isPrinting, setPrinting] = useState(false);
  const canBeWhole = count <= maxWholeRows;
  const isVirtualized = count > maxUnvirtualizedRows && !(canBeWhole && (isWhole || isPrinting));
  const blockCount = Math.ceil(count / blockSize);
  const from = isVirtualized ? Math.min(range.from, blockCount - 1) : 0;
  const to = isVirtualized ? Math.min(Math.max(range.to, from + 1), blockCount) : blockCount;

  const focusList = useCallback(() => {
    if (!list.current) return;
    list.current.tabIndex = -1;
    list.current.focus({ preventScroll: true });
  }, []);

  const updateRange = useCallback(() => {
    if (!isVirtualized || !before.current) return;
    offsets.setBlockCount(blockCount);
    const y = -before.current.getBoundingClientRect().top;
    const first = offsets.blockAt(y - innerHeight / 2, blockCount);
    const end = offsets.blockAt(y + 1.5 * innerHeight, blockCount) + 1;
    // Not fewer than at first, so that a list that has loaded keeps its prerendered rows.
    const next = { from: first, to: Math.max(end, first + initialBlockCount) };
    const focused = document.activeElement?.closest('[aria-posinset]');
    const block = Math.floor((Number(focused?.ariaPosInSet) - 1) / blockSize);
    // Removing the focused row would move the focus to the top of the page, so the list gets it.
    if (block < next.from || block >= next.to) focusList();
    setRange((last) => (last.from === next.from && last.to === next.to ? last : next));
  }, [offsets, blockCount, isVirtualized, focusList]);

  useLayoutEffect(() => {
    if (!isVirtualized || !list.current || !before.current || !after.current) return;
    offsets.setBlockCount(blockCount);
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
    if (!isVirtualized) return undefined;
    let lastY = scrollY;
    // Repeated, because rows measured at the end may move it.
    const scrollToEnd = () => {
      for (let attempts = maxRangeUpdates; attempts > 0; attempts -= 1) {
        scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
        flushSync(updateRange);
        if (isAtEnd()) return;
      }
    };
    const onScroll = () => {
      // A shorter way to the end may be that of a reader, who would miss rows.
      const hasJumpedToEnd = scrollY - lastY > innerHeight && isAtEnd();
      // Synchronous, because the next frame would show an empty list.
      flushSync(updateRange);
      if (hasJumpedToEnd) scrollToEnd();
      lastY = scrollY;
    };
    // The destination of a smooth scroll is fixed when it starts, but the page changes its height
    // on the way. Correcting it at the end is too late: Chromium loses a key pressed meanwhile.
    const onKeyDown = (event: KeyboardEvent) => {
      if (!scrollsToEdge(event)) return;
      event.preventDefault();
      if (event.key === 'End') scrollToEnd();
      else scrollTo({ top: 0, behavior: 'instant' });
    };
    const onResize = () => {
      offsets.reset();
      flushSync(() => setRange((last) => ({ ...last })));
      onScroll();
    };
    const listeners = new AbortController();
    const { signal } = listeners;
    addEventListener('scroll', onScroll, { passive: true, signal });
    addEventListener('keydown', onKeyDown, { signal });
    addEventListener('resize', onResize, { signal });
    return () => listeners.abort();
  }, [updateRange, offsets, isVirtualized]);

  useEffect(() => {
    // Synchronous, because the browser prints the page as it is after this event.
    const onPrint = ({ type }: Event) => flushSync(() => setPrinting(type === 'beforeprint'));
    addEventListener('beforeprint', onPrint);
    addEventListener('afterprint', onPrint);
    return () => {
      removeEventListener('beforeprint', onPrint);
      removeEventListener('afterprint', onPrint);
    };
  }, []);

  /** Renders all rows. Focuses the list, because the button for it disappears. */
  const showAll = useCallback(() => {
    flushSync(() => setWhole(true));
    focusList();
  }, [focusList]);

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
    showAll: canBeWhole ? showAll : undefined,
    first: from * blockSize,
    end: Math.min(to * blockSize, count),
    scrollToRow,
  };
}
