import { useRef, useState } from 'react';
import { blockSize, createBlockOffsets } from './block-offsets.ts';
import { blockOf, indexOf } from './row-elements.ts';

export type MeasuredBlocks = ReturnType<typeof useMeasuredBlocks>;

/**
 * Measures the rendered blocks of a list, which adjoin. Invariant: after `measure`, the gaps before
 * and after them are as high as the blocks that are not rendered.
 */
export function useMeasuredBlocks(count: number) {
  const list = useRef<HTMLUListElement>(null);
  const before = useRef<HTMLDivElement>(null);
  const after = useRef<HTMLDivElement>(null);
  const [offsets] = useState(createBlockOffsets);
  const blockCount = Math.ceil(count / blockSize);

  function resizeGaps(first: number, end: number) {
    before.current!.style.height = `${offsets.offsetOf(first)}px`;
    after.current!.style.height = `${offsets.offsetOf(blockCount) - offsets.offsetOf(end)}px`;
  }

  /**
   * Measures the rendered blocks. `isSameRows`: nothing was rendered since the last time, so that
   * other heights come from another width or text size, and those of all blocks are outdated.
   */
  function measure(isSameRows: boolean) {
    if (!before.current) return;
    offsets.setBlockCount(blockCount);
    const starts = [...list.current!.children].filter((_, i) => i % blockSize === 0);
    const first = starts[0] ? blockOf(indexOf(starts[0])) : 0;
    const end = first + starts.length;
    // Written before the first read, so that one layout is enough when all heights are as expected.
    resizeGaps(first, end);
    const edges = starts.map((row) => row.getBoundingClientRect().top);
    edges.push(list.current!.getBoundingClientRect().bottom);
    const heights = starts.map((_, i) => edges[i + 1]! - edges[i]!);
    if (isSameRows && heights.some((height, i) => offsets.isOutdated(first + i, height))) {
      offsets.reset();
    }
    const changes = heights.map((height, i) => offsets.measure(first + i, height));
    if (changes.includes(true)) resizeGaps(first, end);
  }

  /** Returns the first row of the block at the top of the viewport, which may not be rendered. */
  function placeAtTop() {
    const y = -before.current!.getBoundingClientRect().top;
    const block = offsets.blockAt(y);
    return { index: block * blockSize, above: y - offsets.offsetOf(block) };
  }

  return { list, before, after, offsets, measure, placeAtTop };
}
