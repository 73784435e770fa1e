import { blockSize, firstMatch } from './block-offsets.ts';

/** Finds rows in the page. Rendered rows are in order, without gaps. */

export const blockOf = (index: number) => Math.floor(index / blockSize);

export const indexOf = (row: Element) => Number(row.ariaPosInSet) - 1;

export function indexOfRowAround(element: Element | null): number | undefined {
  const row = element?.closest('[aria-posinset]');
  return row ? indexOf(row) : undefined;
}

/** Returns the row with this index, if it is rendered. */
export function rowAt(list: Element | null, index: number): Element | undefined {
  const row = firstRow(list, (element) => indexOf(lastRowOf(element)) >= index);
  return row && indexOf(row) === index ? row : undefined;
}

/** Returns the first row of which a part is below the top edge of the viewport. */
export const rowAtTop = (list: Element | null) =>
  firstRow(list, (element) => element.getBoundingClientRect().bottom > 1);

const isRow = (element: Element) => element.ariaPosInSet !== null;

const lastRowOf = (element: Element) => (isRow(element) ? element : element.lastElementChild!);

/** Returns the first row that matches, in a list of rows or of groups of rows. */
function firstRow(
  parent: Element | null,
  matches: (element: Element) => boolean,
): Element | undefined {
  const children = parent?.children ?? [];
  const found = children[firstMatch(children.length, (i) => matches(children[i]!))];
  return !found || isRow(found) ? found : firstRow(found, matches);
}
