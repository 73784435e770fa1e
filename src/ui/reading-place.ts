/** Where the reader of a list is. */
export type Place = {
  row: number;
  /** The id of the row, by which it is found in the next list. */
  id?: unknown;
  /** How many pixels of the row are above the viewport: negative if its top is further down. */
  offset: number;
  /**
   * `start`: the browser keeps the place. `end`: the page stays at its end while rows are measured.
   * `scroll`: the user or the app has scrolled to the row. `stored`: until the list has loaded.
   */
  source: 'start' | 'end' | 'scroll' | 'stored';
  /** The viewport then. Without one, the place holds at any scroll position. */
  viewport?: { y: number; width: number; isAtEnd: boolean } | undefined;
};

export const atStart: Place = { row: 0, offset: 0, source: 'start' };

/** Returns the place of a row that the user has scrolled to. */
export function placeAt(row: number, offset: number, isAtEnd: boolean): Place {
  if (row === 0 && offset <= 0) return { row, offset, source: 'start' };
  return { row, offset, source: isAtEnd ? 'end' : 'scroll' };
}

/** Returns the place in the next list. The end of the page may have other rows there. */
export function placeIn(rows: readonly { id?: unknown }[], place: Place): Place {
  const isSame = place.id === undefined || rows[place.row]?.id === place.id;
  const found = isSame ? place.row : rows.findIndex(({ id }) => id === place.id);
  const source = place.source === 'end' ? 'scroll' : place.source;
  return { ...place, row: found < 0 ? place.row : found, source };
}

/** The browser itself scrolls when a phone is rotated, and when the end of the page moves up. */
export const hasScrolled = ({ viewport, source }: Place, now: NonNullable<Place['viewport']>) =>
  source !== 'stored' && viewport?.width === now.width && viewport.y !== now.y && !now.isAtEnd;

/** Returns how far a row is below its place. If it is lower now, a part of it stays visible. */
export const distanceTo = ({ offset }: Place, row: { top: number; height: number }) =>
  row.top + Math.min(offset, Math.max(0, row.height - 2));
