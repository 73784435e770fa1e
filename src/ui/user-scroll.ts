import { blockSize } from './block-offsets.ts';
import type { MeasuredBlocks } from './use-measured-blocks.ts';

export type UserScroll = ReturnType<typeof createUserScroll>;

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
