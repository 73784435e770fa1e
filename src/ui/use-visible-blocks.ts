import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { blockSize, initialRowCount } from './block-offsets.ts';
import { blockOf, indexOfRowAround, rowAt } from './row-elements.ts';
import type { MeasuredBlocks, UserScroll } from './use-measured-blocks.ts';
import type { KeptPlace } from './use-reading-place.ts';

const initialBlocks = { first: 0, end: initialRowCount / blockSize };
const maxUpdates = 8;

export type VisibleBlocks = ReturnType<typeof useVisibleBlocks>;

/**
 * Chooses the blocks to render. Invariant: after `updateNow`, these are the blocks in the viewport
 * and half a screen on both sides.
 */
export function useVisibleBlocks(
  { list, before, offsets }: MeasuredBlocks,
  { viewportTop }: UserScroll,
  { place }: KeptPlace,
  count: number,
) {
  const [blocks, setBlocks] = useState(initialBlocks);
  const last = useRef(blocks);
  const updates = useRef(0);

  function blocksToRender() {
    const { row } = place.current;
    // The page is yet to be scrolled to a row that is not rendered.
    const isAhead = row < count && !rowAt(list.current, row);
    const y = isAhead ? offsets.offsetOf(blockOf(row)) : viewportTop();
    const first = offsets.blockAt(y - innerHeight / 2);
    const end = offsets.blockAt(y + 1.5 * innerHeight) + 1;
    // Not fewer than at first, so that a list that has loaded keeps its prerendered rows.
    return { first, end: Math.max(end, first + initialBlocks.end) };
  }

  function update() {
    if (!before.current) return;
    const next = blocksToRender();
    if (next.first === last.current.first && next.end === last.current.end) return;
    // Limited, because with a user's own styles the heights may never settle.
    updates.current += 1;
    if (updates.current > maxUpdates) return;
    const focused = indexOfRowAround(document.activeElement);
    const isFocusKept =
      focused === undefined || (blockOf(focused) >= next.first && blockOf(focused) < next.end);
    // Removing the focused row would move the focus to the top of the page, so the list gets it.
    if (!isFocusKept) focusList(list.current);
    last.current = next;
    setBlocks(next);
  }

  /** Synchronous, because the next frame would show an empty list. */
  function updateNow() {
    updates.current = 0;
    flushSync(update);
  }

  return { blocks, update, updateNow };
}

export function focusList(list: HTMLElement | null) {
  if (!list) return;
  list.tabIndex = -1;
  list.focus({ preventScroll: true });
}
