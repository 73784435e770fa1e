/** Rows per block. A block is measured and positioned as a unit. */
export const blockSize = 5;

/** Lists up to this length are rendered whole, so that the browser's search finds every row. */
export const maxUnvirtualizedRows = 50;

/** Longer lists are never rendered whole, see docs/decisions/0018-print-and-find.md. */
export const maxWholeRows = 10_000;

/** Rows rendered before any height is known: whole blocks. */
export const initialRowCount = 3 * blockSize;

/** Firefox ignores heights from 17,895,698 px on. Chromium and WebKit limit them to 33,554,431. */
const maxEstimatedListHeightPx = 15_000_000;

/**
 * Tracks the vertical offsets of the blocks of a long list, in pixels from its top. A block that
 * was never measured counts as high as the first measured one. It counts as less in a list that
 * would be higher than browsers support. `offsetOf` and `blockAt` cost one addition per block after
 * a change, and nothing otherwise.
 */
export function createBlockOffsets() {
  let heights: (number | undefined)[] = [];
  let offsets = [0];
  let estimate = 0;
  let maxEstimate = Infinity;
  let isEstimateMeasured = false;

  function offsetOf(block: number): number {
    for (let i = offsets.length - 1; i < block; i += 1) {
      offsets.push((offsets[i] as number) + heightOf(i));
    }
    return offsets[block] as number;
  }

  const heightOf = (block: number) => heights[block] ?? Math.min(estimate, maxEstimate);

  return {
    setBlockCount(blockCount: number) {
      const before = maxEstimate;
      maxEstimate = maxEstimatedListHeightPx / blockCount;
      if (estimate > Math.min(before, maxEstimate)) offsets = [0];
    },

    /** Returns the top of a block. The offset of the block count is the bottom of the list. */
    offsetOf,

    /** Returns the block that contains `y`, or the nearest one. */
    blockAt(y: number, blockCount: number): number {
      offsetOf(blockCount);
      let [low, high] = [0, Math.max(0, blockCount - 1)];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((offsets[middle] as number) <= y) low = middle;
        else high = middle - 1;
      }
      return low;
    },

    /** Stores the rendered height of a block. Returns whether any offset has changed. */
    measure(block: number, height: number): boolean {
      const expected = heightOf(block);
      // At a fractional zoom, the same rows differ by a pixel between layouts. Accepting that as a
      // change would render for ever.
      if (height === 0 || (isEstimateMeasured && Math.abs(height - expected) <= 1)) return false;
      heights[block] = height;
      if (!isEstimateMeasured) {
        isEstimateMeasured = true;
        estimate = height;
        offsets = [0];
      }
      if (expected === height) return false;
      offsets.length = Math.min(offsets.length, block + 1);
      return true;
    },

    /** Discards all heights, because the rows or their width have changed. Keeps the estimate. */
    reset() {
      heights = [];
      offsets = [0];
      isEstimateMeasured = false;
    },
  };
}
