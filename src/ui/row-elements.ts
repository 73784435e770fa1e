import { blockSize } from './block-offsets.ts';

/** Finds rows in the page. Rendered rows are in order, and may have gaps between blocks. */

export const blockOf = (index: number) => Math.floor(index / blockSize);

export const indexOf = (row: Element) => Number(row.ariaPosInSet) - 1;

/** Returns the index of the row that contains a node. */
export function indexOfRowAround(node: Node | null | undefined): number | undefined {
  const element = node instanceof Element ? node : node?.parentElement;
  const row = element?.closest('[aria-posinset]');
  return row ? indexOf(row) : undefined;
}

/** Returns the row with this index, if it is rendered. */
export function rowAt(list: Element | null, index: number): HTMLElement | undefined {
  const row = firstRow(list, (candidate) => indexOf(candidate) >= index);
  return row && indexOf(row) === index ? row : undefined;
}

/** Returns the first row of which a part is below the top edge of the viewport. */
export const rowAtTop = (list: Element | null) =>
  firstRow(list, (row) => row.getBoundingClientRect().bottom > 1);

/** Returns the first row that matches. Every row after it has to match too. */
function firstRow(list: Element | null, matches: (row: HTMLElement) => boolean) {
  const rows = (list?.children ?? []) as ArrayLike<HTMLElement>;
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (matches(rows[middle]!)) high = middle;
    else low = middle + 1;
  }
  return rows[low];
}
