import { act, fireEvent, render, screen } from '@testing-library/react';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createBlockOffsets } from '../../src/ui/block-offsets.ts';
import { ProjectList } from '../../src/ui/project-list.tsx';

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ title: `Project ${i + 1}`, description: 'A line.' }));

/** The list on a page with nothing else on it, whose rows are as high as they are said to be: jsdom has no layout. */
function listOf(count: number, heightOf: (place: number) => number = () => 40) {
  let scrolled = 0;
  let measure = heightOf;
  const heightOfRow = (row: Element) => measure(Number(row.getAttribute('aria-posinset')));
  const sum = (rows: Element[]) => rows.reduce((total, row) => total + heightOfRow(row), 0);
  const spacer = (place: 'first' | 'last') => {
    const found = document.querySelector<HTMLElement>(`section > div > div:${place}-child`);
    return found && Number.parseFloat(found.style.height);
  };
  const rows = () => {
    const all = [...document.querySelectorAll<HTMLElement>('li')];
    // To measure them would take for ever.
    if (all.length > 1_000) throw new Error('Far more rows are in the page than are in view.');
    return all;
  };
  const layout: PropertyDescriptorMap & ThisType<HTMLElement> = {
    offsetTop: {
      configurable: true,
      get() {
        const before = rows().slice(0, Math.max(0, rows().indexOf(this)));
        return (spacer('first') ?? 0) + sum(before);
      },
    },
    offsetHeight: { configurable: true, get: () => sum(rows()) },
  };
  const had = Object.getOwnPropertyDescriptors(HTMLElement.prototype);
  Object.defineProperties(HTMLElement.prototype, layout);
  const spies = [
    vi
      .spyOn(Element.prototype, 'getBoundingClientRect')
      .mockImplementation(() => new DOMRect(0, -scrolled, 1000, 0)),
    vi.spyOn(window, 'scrollBy').mockImplementation((_, y) => {
      scrolled += y;
    }),
  ];
  const intoView = vi.fn<Element['scrollIntoView']>();
  Element.prototype.scrollIntoView = intoView;
  vi.stubGlobal('innerHeight', 600);
  onTestFinished(() => {
    Object.defineProperties(HTMLElement.prototype, {
      offsetTop: had.offsetTop,
      offsetHeight: had.offsetHeight,
    });
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllGlobals();
  });

  const element = (length: number, newest?: string) => (
    <ProjectList heading="Projects" rows={rowsOf(length)} loading={false} newest={newest} />
  );
  const { rerender, unmount } = render(element(count));
  const places = () => rows().map((row) => Number(row.getAttribute('aria-posinset')));
  return {
    intoView,
    unmount,
    becomes: (length: number, newest?: string) => rerender(element(length, newest)),
    /** As far as the page goes. */
    scrollTo: (y: number) => {
      const end = (spacer('first') ?? 0) + sum(rows()) + (spacer('last') ?? 0);
      scrolled = Math.min(y, end - innerHeight);
      act(() => void window.dispatchEvent(new Event('scroll')));
    },
    becomesAsHighAs: (other: typeof heightOf) => {
      measure = other;
      act(() => void window.dispatchEvent(new Event('resize')));
    },
    /** The first and the last row that is drawn, and what stands for those before and after them, in pixels. */
    drawn: () => ({
      rows: [places()[0], places().at(-1)],
      above: spacer('first'),
      below: spacer('last'),
    }),
    /** Whether rows without a gap between them cover what is in view. */
    isCovered: () => {
      const all = places();
      const gaps = all.some((place, i) => i > 0 && place !== (all[i - 1] ?? 0) + 1);
      const top = spacer('first') ?? 0;
      return !gaps && top <= scrolled && top + sum(rows()) >= scrolled + 600;
    },
  };
}

describe('[CHOICE-52] of a long list', () => {
  test('the rows in view are drawn, and those of half a screen on both sides', () => {
    const { drawn, scrollTo } = listOf(5_000);
    expect(drawn()).toEqual({ rows: [1, 25], above: 0, below: 4975 * 40 });
    scrollTo(40_000);
    expect(drawn()).toEqual({ rows: [991, 1025], above: 990 * 40, below: 3975 * 40 });
    scrollTo(5_000 * 40 - 600);
    expect(drawn()).toEqual({ rows: [4976, 5000], above: 4975 * 40, below: 0 });
    scrollTo(0);
    expect(drawn()).toEqual({ rows: [1, 25], above: 0, below: 4975 * 40 });
  });

  test('what is in view is covered wherever one scrolls, however high the rows are', () => {
    const { isCovered, scrollTo } = listOf(2_000, (place) => (place % 7 === 0 ? 400 : 30));
    for (const y of [0, 3_000, 90_000, 41_234, 41_300, 12, 60_000]) {
      scrollTo(y);
      expect(isCovered(), `${y} pixels down`).toBe(true);
    }
  });

  test('rows that become higher in a narrower window are measured anew', () => {
    const { drawn, becomesAsHighAs } = listOf(5_000);
    becomesAsHighAs(() => 90);
    expect(drawn()).toEqual({ rows: [1, 15], above: 0, below: 4985 * 90 });
  });

  test('rows that were measured stay as high as they were found to be', () => {
    const { drawn, scrollTo } = listOf(1_000, (place) => (place <= 25 ? 40 : 20));
    scrollTo(4_000);
    scrollTo(0);
    expect(drawn().above).toBe(0);
    expect(drawn().below).toBeLessThan(975 * 40);
  });

  test('as many are drawn as are needed when there become more, and all when there become few', () => {
    const { drawn, becomes, scrollTo } = listOf(60);
    expect(drawn()).toEqual({ rows: [1, 25], above: 0, below: 35 * 40 });
    scrollTo(60 * 40 - 600);
    expect(drawn().rows).toEqual([36, 60]);
    becomes(5_000);
    expect(drawn()).toEqual({ rows: [36, 70], above: 35 * 40, below: 4930 * 40 });
    becomes(51);
    expect(drawn().rows[1]).toBe(51);
    becomes(50);
    expect(drawn()).toEqual({ rows: [1, 50], above: null, below: null });
  });

  test('[CHOICE-59] the newest is brought into view, with the focus on its title', () => {
    const { becomes, drawn, intoView } = listOf(5_000);
    becomes(5_001, 'Show it');
    fireEvent.click(screen.getByRole('button', { name: 'Show it' }));
    expect(drawn().rows[1]).toBe(5_001);
    expect(document.activeElement?.textContent).toBe('Project 5001');
    expect(document.activeElement?.getAttribute('tabindex')).toBe('-1');
    expect(intoView).toHaveBeenCalledExactlyOnceWith({ block: 'center' });
  });

  test('nothing listens to the window any more when the list is gone', () => {
    const added = vi.spyOn(window, 'addEventListener');
    const removed = vi.spyOn(window, 'removeEventListener');
    const { becomes, unmount } = listOf(60);
    becomes(5_000);
    unmount();
    const of = ({ mock }: typeof added | typeof removed) =>
      mock.calls
        .filter(([type]) => type === 'scroll' || type === 'resize')
        .map(([type, listener]) => [type, listener]);
    expect(of(added).length).toBeGreaterThan(0);
    expect(of(removed)).toEqual(of(added));
    added.mockRestore();
    removed.mockRestore();
  });
});

test('[CHOICE-57] a list of up to fifty is drawn as a whole', () => {
  expect(listOf(50).drawn()).toEqual({ rows: [1, 50], above: null, below: null });
});

describe('places', () => {
  test('what was never drawn counts as high as what was drawn first', () => {
    const places = createBlockOffsets();
    expect(places.measure(0, 100)).toBe(true);
    expect([places.top(0), places.top(1), places.top(10)]).toEqual([0, 100, 1_000]);
    expect(places.measure(3, 250)).toBe(true);
    expect([places.top(3), places.top(4), places.top(10)]).toEqual([300, 550, 1_150]);
  });

  test('a height is news only where another one was thought', () => {
    const places = createBlockOffsets();
    places.measure(0, 100);
    expect(places.measure(5, 100)).toBe(false);
    expect(places.measure(5, 100)).toBe(false);
    expect(places.measure(5, 0)).toBe(false);
    expect(places.top(6)).toBe(600);
    expect(places.measure(5, 120)).toBe(true);
    expect(places.top(6)).toBe(620);
    expect(places.measure(5, 100)).toBe(true);
    expect(places.top(6)).toBe(600);
  });

  test('a point is in one block, and beyond the list in the nearest', () => {
    const places = createBlockOffsets();
    places.measure(0, 100);
    const at = (y: number) => places.blockAt(y, 10);
    expect([-5, 0, 99.9, 100, 950, 1_000, 5_000].map(at)).toEqual([0, 0, 0, 1, 9, 9, 9]);
    expect(places.blockAt(500, 0)).toBe(0);
    expect(places.blockAt(500, 1)).toBe(0);
  });

  test('all heights can be forgotten', () => {
    const places = createBlockOffsets();
    places.measure(0, 100);
    places.measure(1, 300);
    expect(places.top(2)).toBe(400);
    places.forget();
    expect([places.top(1), places.top(2)]).toEqual([100, 200]);
    expect(places.measure(7, 50)).toBe(true);
    expect([places.top(1), places.top(2), places.top(8)]).toEqual([50, 100, 400]);
    places.forget();
    expect(places.measure(7, 50)).toBe(false);
  });
});
