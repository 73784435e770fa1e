/** So many rows are measured and placed together. */
export const blockSize = 5;

/** Lists up to here are drawn as a whole, so that the browser's own search finds all of them. */
export const maxUnvirtualizedRows = 50;

/** So many rows are drawn before anybody knows how high they are: whole blocks. */
export const initialRowCount = 3 * blockSize;

/**
 * Where the blocks of a long list are, in pixels from its top. A block that has not been drawn yet counts as high as the first
 * ones that were. All but `at` and `top` after a `measure` cost nothing; those cost one addition a block.
 */
export function createBlockOffsets() {
  let heights: (number | undefined)[] = [];
  let tops = [0];
  let estimate = 0;
  let isEstimateMeasured = false;

  function offsetOf(block: number): number {
    for (let i = tops.length - 1; i < block; i += 1) {
      tops.push((tops[i] as number) + (heights[i] ?? estimate));
    }
    return tops[block] as number;
  }

  return {
    /** The top of a block; the bottom of the list is that of the block after the last. */
    top: offsetOf,

    /** The block, of so many, that has the point `y` in it, or is the nearest to it. */
    blockAt(y: number, blocks: number): number {
      offsetOf(blocks);
      let [low, high] = [0, Math.max(0, blocks - 1)];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((tops[middle] as number) <= y) low = middle;
        else high = middle - 1;
      }
      return low;
    },

    /** Takes the height that a block was drawn with, and tells whether it is another than was thought. */
    measure(block: number, height: number): boolean {
      const thought = heights[block] ?? estimate;
      // Where a zoom makes no whole pixels, the same rows are now a pixel higher, now lower: taken for news, that would never end.
      if (height === 0 || (isEstimateMeasured && Math.abs(height - thought) <= 1)) return false;
      heights[block] = height;
      if (!isEstimateMeasured) {
        isEstimateMeasured = true;
        estimate = height;
        tops = [0];
      }
      if (thought === height) return false;
      tops.length = Math.min(tops.length, block + 1);
      return true;
    },

    /** The rows have another width, or are others: all count as high as before until the next one is measured. */
    forget() {
      heights = [];
      tops = [0];
      isEstimateMeasured = false;
    },
  };
}
