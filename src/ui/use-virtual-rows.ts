import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import {
  blockSize,
  createBlockOffsets,
  initialRowCount,
  maxUnvirtualizedRows,
} from './block-offsets.ts';

type Blocks = { from: number; to: number };

/**
 * Of a list of `count` rows, which ones to draw: those in view and half a screen's height on both sides. `before` and `after` are
 * for two empty elements around the list that stand for all the other rows.
 */
export function useVirtualRows(count: number) {
  const list = useRef<HTMLUListElement>(null);
  const before = useRef<HTMLDivElement>(null);
  const after = useRef<HTMLDivElement>(null);
  const looks = useRef(0);
  const [places] = useState(createBlockOffsets);
  const [drawn, setDrawn] = useState<Blocks>({ from: 0, to: initialRowCount / blockSize });
  const isWhole = count <= maxUnvirtualizedRows;
  const blocks = Math.ceil(count / blockSize);
  const from = isWhole ? 0 : Math.min(drawn.from, blocks - 1);
  const to = isWhole ? blocks : Math.min(Math.max(drawn.to, from + 1), blocks);

  /** Draws what is in view now. */
  const look = useCallback(() => {
    if (isWhole || !before.current) return;
    const y = -before.current.getBoundingClientRect().top;
    const next = {
      from: places.blockAt(y - innerHeight / 2, blocks),
      to: places.blockAt(y + 1.5 * innerHeight, blocks) + 1,
    };
    const focused = document.activeElement?.closest('[aria-posinset]');
    const block = Math.floor((Number(focused?.ariaPosInSet) - 1) / blockSize);
    if (list.current && (block < next.from || block >= next.to)) {
      // The focus goes with its row, and the keyboard would begin at the top of the page: it stays in the list.
      list.current.tabIndex = -1;
      list.current.focus({ preventScroll: true });
    }
    setDrawn((now) => (now.from === next.from && now.to === next.to ? now : next));
  }, [places, blocks, isWhole]);

  useLayoutEffect(() => {
    if (isWhole || !list.current || !before.current || !after.current) return;
    const [above, below] = [before.current.style, after.current.style];
    const place = () => {
      above.height = `${places.top(from)}px`;
      below.height = `${places.top(blocks) - places.top(to)}px`;
    };
    // Written before anything is read: where all is as high as it was thought to be, one layout of the page is enough.
    place();
    const rows = list.current.children;
    const bottom = list.current.offsetTop + list.current.offsetHeight;
    let isNews = false;
    for (let block = from; block < to; block += 1) {
      const row = rows[(block - from) * blockSize] as HTMLElement;
      const next = rows[(block + 1 - from) * blockSize] as HTMLElement | undefined;
      isNews = places.measure(block, (next?.offsetTop ?? bottom) - row.offsetTop) || isNews;
    }
    if (!isNews) {
      looks.current = 0;
      return;
    }
    place();
    // With styles of somebody else's the rows may never be as high as they were thought to be.
    looks.current += 1;
    if (looks.current < 9) look();
  });

  // More rows, or fewer: others may be in view.
  useLayoutEffect(look, [look]);

  useEffect(() => {
    // At once, or the frame that comes shows an empty place.
    const scrolled = () => flushSync(look);
    const resized = () => {
      places.forget();
      // Whatever is drawn is measured again.
      flushSync(() => setDrawn((now) => ({ ...now })));
      scrolled();
    };
    addEventListener('scroll', scrolled, { passive: true });
    addEventListener('resize', resized);
    return () => {
      removeEventListener('scroll', scrolled);
      removeEventListener('resize', resized);
    };
  }, [look, places]);

  /** Brings a row into view, wherever it is, and gives its element. */
  const reveal = useCallback(
    (index: number): HTMLElement | undefined => {
      // Once more when what is drawn on the way is not as high as it was thought to be.
      for (let tries = isWhole ? 0 : 2; tries > 0; tries -= 1) {
        const start = before.current?.getBoundingClientRect().top ?? 0;
        scrollBy(0, start + places.top(Math.floor(index / blockSize)) - innerHeight / 2);
        flushSync(look);
      }
      const row = list.current?.querySelector<HTMLElement>(`[aria-posinset="${index + 1}"]`);
      row?.scrollIntoView({ block: 'center' });
      return row ?? undefined;
    },
    [isWhole, look, places],
  );

  return {
    list,
    before,
    after,
    isWhole,
    first: from * blockSize,
    end: Math.min(to * blockSize, count),
    reveal,
  };
}
