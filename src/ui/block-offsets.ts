/** Rows per block. A block is measured and positioned as a unit. */
export const blockSize = 5;

/**
 * Longer lists are virtualized. Of a list up to this length, the browser itself searches, copies,
 * prints and scrolls all rows.
 */
export const maxUnvirtualizedRows = 300;

/** Longer lists are never rendered whole, see docs/decisions/0016-long-lists.md. */
export const maxWholeRows = 10_000;

/** Rows rendered before any height is known: whole blocks. */
export const initialRowCount = 3 * blockSize;

/** Firefox ignores heights from 17,895,698 px on. Chromium and WebKit limit them to 33,554,431. */
const maxEstimatedListHeightPx = 15_000_000;

/**
 * Tracks the vertical offsets of the blocks of a long list, in pixels from its top. A block that
 * was never measured counts as high as the block that was measured first. It counts as less in a
 * list that would be higher than browsers support.
 */
export function createBlockOffsets() {
  /** Sparse, so it is empty until the first block is measured. */
  let heights: number[] = [];
  /** `offsets[i]` is right for each `i < offsets.length`. The next ones are added when needed. */
  let offsets = [0];
  let estimate = 0;
  let blockCount = 0;

  const heightOf = (block: number) =>
    heights[block] ?? Math.min(estimate, maxEstimatedListHeightPx / blockCount);

  /** Returns the top of a block. The offset of the block count is the bottom of the list. */
  function offsetOf(block: number): number {
    for (let i = offsets.length - 1; i < block; i += 1) {
      offsets.push((offsets[i] as number) + heightOf(i));
    }
    return offsets[block] as number;
  }

  return {
    offsetOf,

    setBlockCount(count: number) {
      if (count !== blockCount) offsets = [0];
      blockCount = count;
    },

    /** Returns the block that contains `y`, or the nearest one. */
    blockAt(y: number): number {
      offsetOf(blockCount);
      return firstMatch(blockCount - 1, (block) => offsets[block + 1]! > y);
    },

    /** Returns the height of rows from the start of a block on. */
    heightOfRows: (first: number, end: number) =>
      offsetOf(Math.ceil(end / blockSize)) - offsetOf(first / blockSize),

    /** Returns whether a block was measured and has another height now. */
    isOutdated: (block: number, height: number) =>
      height > 0 && isOther(height, heights[block] ?? height),

    /** Stores the rendered height of a block. Returns whether any offset has changed. */
    measure(block: number, height: number): boolean {
      const expected = heightOf(block);
      const isFirst = heights.length === 0;
      if (height === 0 || !(isFirst || isOther(height, expected))) return false;
      heights[block] = height;
      if (isFirst) estimate = height;
      offsets.length = isFirst ? 1 : Math.min(offsets.length, block + 1);
      return height !== expected;
    },

    /** Discards all heights, because the width of the rows has changed. Keeps the estimate. */
    reset() {
      heights = [];
      offsets = [0];
    },
  };
}

/** Returns the first index below `count` that matches, or `count`. All after it match too. */
export function firstMatch(count: number, matches: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (matches(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * At a fractional zoom, the same rows differ by a pixel between layouts. Accepting that as a change
 * would render for ever.
 */
const isOther = (height: number, expected: number) => Math.abs(height - expected) > 1;
