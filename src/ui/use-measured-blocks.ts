import { useRef, useState } from 'react';
import { blockSize, createBlockOffsets } from './block-offsets.ts';
import { blockOf, indexOf } from './row-elements.ts';

export type MeasuredBlocks = ReturnType<typeof useMeasuredBlocks>;

/**
 * Measures the rendered blocks of a list. Invariant: after `measure`, the gaps before, between and
 * after the rendered blocks are as high as the blocks that are not rendered.
 */
export function useMeasuredBlocks(count: number) {
  const list = useRef<HTMLUListElement>(null);
  const before = useRef<HTMLDivElement>(null);
  const after = useRef<HTMLDivElement>(null);
  const [offsets] = useState(createBlockOffsets);
  const blockCount = Math.ceil(count / blockSize);

  const renderedRows = () => [...list.current!.children] as HTMLElement[];

  function resizeGaps() {
    let end = 0;
    for (const row of renderedRows().filter((_, i) => i % blockSize === 0)) {
      const block = blockOf(indexOf(row));
      const gap = offsets.offsetOf(block) - offsets.offsetOf(end);
      if (end === 0) before.current!.style.height = `${gap}px`;
      row.style.marginTop = end > 0 && gap > 0 ? `${gap}px` : '';
      end = block + 1;
    }
    after.current!.style.height = `${offsets.offsetOf(blockCount) - offsets.offsetOf(end)}px`;
  }

  function renderedHeights() {
    const rows = renderedRows();
    return Array.from({ length: Math.ceil(rows.length / blockSize) }, (_, i) => {
      const [row, next] = [rows[i * blockSize]!, rows[(i + 1) * blockSize]];
      const block = blockOf(indexOf(row));
      const last = rows[Math.min((i + 1) * blockSize, rows.length) - 1]!;
      const bottom =
        next && blockOf(indexOf(next)) === block + 1
          ? next.getBoundingClientRect().top
          : last.getBoundingClientRect().bottom;
      return { block, height: bottom - row.getBoundingClientRect().top };
    });
  }

  /**
   * Measures the rendered blocks. `isSameRows`: nothing was rendered since the last time, so that
   * other heights come from another width or text size, and those of all blocks are outdated.
   */
  function measure(isSameRows: boolean) {
    if (!before.current) {
      // Of a list that was virtualized.
      const rows = list.current?.querySelectorAll<HTMLElement>('[style]') ?? [];
      for (const row of rows) row.style.marginTop = '';
      return;
    }
    offsets.setBlockCount(blockCount);
    // Written before the first read, so that one layout is enough when all heights are as expected.
    resizeGaps();
    const heights = renderedHeights();
    if (isSameRows && heights.some(({ block, height }) => offsets.isOutdated(block, height))) {
      offsets.reset();
    }
    const changes = heights.map(({ block, height }) => offsets.measure(block, height));
    if (changes.includes(true)) resizeGaps();
  }

  /** Returns the first row of the block at the top of the viewport, which may not be rendered. */
  function placeAtTop() {
    const y = -before.current!.getBoundingClientRect().top;
    const block = offsets.blockAt(y);
    return { index: block * blockSize, above: y - offsets.offsetOf(block) };
  }

  return { list, before, after, offsets, measure, placeAtTop };
}
