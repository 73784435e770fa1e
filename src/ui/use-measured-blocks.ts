import { useRef, useState } from 'react';
import { blockSize, createBlockOffsets } from './block-offsets.ts';
import { blockOf, indexOf } from './row-elements.ts';

/** A scroll of the user, which lasts until there were no more events for a while. */
type Scroll = {
  /** How far the rows are below their offsets, because rows above have other heights now. */
  drift: number;
  /** The height of the list when it began. */
  height: number;
  /** Whether it went to rows that were not rendered. */
  hasJumped: boolean;
};

export type MeasuredBlocks = ReturnType<typeof useMeasuredBlocks>;
export type UserScroll = ReturnType<typeof createUserScroll>;

/**
 * Measures the rendered blocks of a list, which adjoin. Invariant: after `measure`, the gaps before
 * and after them are as high as the blocks that are not rendered, but for what `Scroll` says.
 */
export function useMeasuredBlocks(count: number) {
  const list = useRef<HTMLUListElement>(null);
  const before = useRef<HTMLDivElement>(null);
  const after = useRef<HTMLDivElement>(null);
  const scroll = useRef<Scroll>(undefined);
  const [offsets] = useState(createBlockOffsets);
  const blockCount = Math.ceil(count / blockSize);

  function renderedBlocks() {
    const starts = [...list.current!.children].filter((_, i) => i % blockSize === 0);
    const first = starts[0] ? blockOf(indexOf(starts[0])) : 0;
    return { starts, first, end: first + starts.length };
  }

  function resizeGaps({ first, end } = renderedBlocks()) {
    const offset = offsets.offsetOf(first);
    const rows = offsets.offsetOf(end) - offset;
    const rest = offsets.offsetOf(blockCount) - offset - rows;
    const gaps = gapsAround({ offset, rows, rest }, scroll.current);
    if (scroll.current) scroll.current.drift = gaps.before - offset;
    before.current!.style.height = `${gaps.before}px`;
    after.current!.style.height = `${gaps.after}px`;
  }

  /**
   * Measures the rendered blocks. `isSameRows`: nothing was rendered since the last time, so that
   * other heights come from another width or text size, and those of all blocks are outdated.
   */
  function measure(isSameRows: boolean) {
    if (!before.current) return;
    offsets.setBlockCount(blockCount);
    const rendered = renderedBlocks();
    const { starts, first } = rendered;
    // Written before the first read, so that one layout is enough when all heights are as expected.
    resizeGaps(rendered);
    const edges = starts.map((row) => row.getBoundingClientRect().top);
    edges.push(list.current!.getBoundingClientRect().bottom);
    const heights = starts.map((_, i) => edges[i + 1]! - edges[i]!);
    if (isSameRows && heights.some((height, i) => offsets.isOutdated(first + i, height))) {
      offsets.reset();
    }
    const changes = heights.map((height, i) => offsets.measure(first + i, height));
    if (changes.includes(true)) resizeGaps(rendered);
  }

  return { list, before, after, scroll, offsets, blockCount, resizeGaps, measure };
}

/**
 * While the user scrolls, rows are kept in their places by the gap above them. A scroll by the app
 * would stop that of the keys End and Home in WebKit, and lead it elsewhere in Firefox.
 */
export function createUserScroll(measured: MeasuredBlocks) {
  const { before, scroll, offsets, blockCount, resizeGaps, measure } = measured;

  /** Returns how far the top of the viewport is below the offset 0. */
  const viewportTop = () =>
    -before.current!.getBoundingClientRect().top - (scroll.current?.drift ?? 0);

  return {
    viewportTop,

    start() {
      if (!before.current) return;
      scroll.current ??= { drift: 0, height: offsets.offsetOf(blockCount), hasJumped: false };
    },

    end() {
      scroll.current = undefined;
      measure(false);
    },

    /**
     * Called when no rendered row is in the viewport. Returns the first row of the block that is to
     * be there. Until the scroll ends, the page has the height with which it began, so that it goes
     * to the end to which the browser scrolls.
     */
    jump() {
      if (!before.current) return { row: 0, offset: 0 };
      if (scroll.current) scroll.current = { ...scroll.current, drift: 0, hasJumped: true };
      resizeGaps();
      const block = offsets.blockAt(viewportTop());
      return { row: block * blockSize, offset: viewportTop() - offsets.offsetOf(block) };
    },

    /** Moves the rows. Returns whether it did: otherwise, the page has to be scrolled. */
    shift(distance: number): boolean {
      if (!scroll.current || !before.current) return false;
      const top = before.current.offsetHeight;
      const hasRoom = top > 0 && top + distance >= 0;
      if (!hasRoom && !scroll.current.hasJumped) return false;
      scroll.current.drift += distance;
      resizeGaps();
      return true;
    },
  };
}

/** Returns the heights of the gaps around rows that begin at an offset, and have `rest` below. */
function gapsAround(
  { offset, rows, rest }: { offset: number; rows: number; rest: number },
  scroll: Scroll | undefined,
) {
  if (!scroll) return { before: offset, after: rest };
  const room = scroll.hasJumped ? Math.max(0, scroll.height - rows) : Infinity;
  const before = offset === 0 ? 0 : Math.min(Math.max(0, offset + scroll.drift), room);
  if (scroll.hasJumped) return { before, after: room - before };
  // The page becomes no lower, because a browser scrolls no further than to its end.
  return { before, after: rest > 0 ? Math.max(rest, scroll.height - before - rows) : 0 };
}
