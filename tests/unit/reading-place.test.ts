import { expect, test } from 'vitest';
import {
  distanceTo,
  hasScrolled,
  placeAt,
  placeIn,
  type Place,
} from '../../src/ui/reading-place.ts';

const rowsOf = (...ids: unknown[]) => ids.map((id) => ({ id }));
const place: Place = { row: 2, id: 'c', offset: 30, source: 'scroll' };

test.each([
  ['the first row, below the top of the viewport', 0, -300, false, 'start'],
  ['the first row, in a page that is not higher than the viewport', 0, 0, true, 'start'],
  ['the first row, of which a part is above the viewport', 0, 1, false, 'scroll'],
  ['another row', 7, 12, false, 'scroll'],
  ['another row, at the end of the page', 7, 12, true, 'end'],
] as const)('a user who scrolls to %s is there', (_, row, offset, isAtEnd, source) => {
  expect(placeAt(row, offset, isAtEnd)).toEqual({ row, offset, source });
});

test.each([
  ['has the same rows', rowsOf('a', 'b', 'c'), {}, {}],
  ['has two more rows above', rowsOf('x', 'y', 'a', 'b', 'c'), {}, { row: 4 }],
  ['lacks a row above', rowsOf('b', 'c'), {}, { row: 1 }],
  ['lacks the row', rowsOf('a', 'b', 'd'), {}, {}],
  ['has not arrived', [], {}, {}],
  ['has no ids', rowsOf(undefined, undefined), { id: undefined }, {}],
  ['has a new row at the end', rowsOf('a', 'b', 'c', 'd'), { source: 'end' }, { source: 'scroll' }],
  ['has loaded a part', rowsOf('a'), { source: 'stored' }, {}],
] as const)('the next list %s', (_, rows, before, changes) => {
  const earlier = { ...place, ...before };
  expect(placeIn(rows, earlier)).toEqual({ ...earlier, ...changes });
});

const viewport = { y: 5_000, width: 1_000, isAtEnd: false };

test.each([
  ['the scroll position is the same', {}, {}, false],
  ['there is another scroll position', { y: 5_001 }, {}, true],
  ['the page scrolled with a rotation', { y: 9_000, width: 400 }, {}, false],
  ['the page became lower, so that it ends here', { y: 4_000, isAtEnd: true }, {}, false],
  ['the place is that of an earlier visit', { y: 0 }, { source: 'stored' }, false],
  ['the list was in the page as a whole', { y: 0 }, { viewport: undefined }, false],
] as const)('the user has scrolled or not: %s', (_, now, before, expected) => {
  const earlier = { ...place, viewport, ...before };
  expect(hasScrolled(earlier, { ...viewport, ...now })).toBe(expected);
});

test.each([
  ['in its place', 30, { top: -30, height: 100 }, 0],
  ['lower than its place', 30, { top: 170, height: 100 }, 200],
  ['higher than its place', -20, { top: 5, height: 100 }, -15],
  ['not as high as the part that was above the viewport', 300, { top: 0, height: 100 }, 98],
])('the distance of a row that is %s', (_, offset, box, expected) => {
  expect(distanceTo({ ...place, offset }, box)).toBe(expected);
});
