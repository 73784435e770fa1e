import { act, fireEvent, render, screen } from '@testing-library/react';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createBlockOffsets } from '../../../src/ui/block-offsets.ts';
import { ProjectList } from '../../../src/ui/project-list.tsx';

const createRows = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ title: `Project ${i + 1}`, description: 'A line.' }));

/**
 * Renders a list alone on a page of 600 pixels and emulates its layout, which happy-dom lacks.
 * `heightOf` returns the height of the row with this 1-based position.
 */
function renderList(count: number, heightOf: (position: number) => number = () => 40) {
  let scrollTop = 0;
  let currentHeightOf = heightOf;
  const positionOf = (row: Element) => Number(row.getAttribute('aria-posinset'));
  const totalHeight = (elements: Element[]) =>
    elements.reduce((total, row) => total + currentHeightOf(positionOf(row)), 0);
  const spacerHeight = (edge: 'first' | 'last') => {
    const spacer = document.querySelector<HTMLElement>(`section > div > div:${edge}-child`);
    return spacer && Number.parseFloat(spacer.style.height);
  };
  const rows = () => {
    const elements = [...document.querySelectorAll<HTMLElement>('li')];
    // Fails early, because measuring that many rows would take minutes.
    if (elements.length > 1_000) throw new Error('The list is not virtualized.');
    return elements;
  };
  const layout: PropertyDescriptorMap & ThisType<HTMLElement> = {
    offsetTop: {
      configurable: true,
      get() {
        const before = rows().slice(0, Math.max(0, rows().indexOf(this)));
        return (spacerHeight('first') ?? 0) + totalHeight(before);
      },
    },
    offsetHeight: { configurable: true, get: () => totalHeight(rows()) },
  };
  const { offsetTop, offsetHeight } = Object.getOwnPropertyDescriptors(HTMLElement.prototype);
  Object.defineProperties(HTMLElement.prototype, layout);
  const spies = [
    vi
      .spyOn(Element.prototype, 'getBoundingClientRect')
      .mockImplementation(() => new DOMRect(0, -scrollTop, 1000, 0)),
    vi.spyOn(window, 'scrollBy').mockImplementation((_, y) => {
      scrollTop += y;
    }),
  ];
  const scrollIntoView = vi.fn<Element['scrollIntoView']>();
  Element.prototype.scrollIntoView = scrollIntoView;
  vi.stubGlobal('innerHeight', 600);
  onTestFinished(() => {
    Object.defineProperties(HTMLElement.prototype, { offsetTop, offsetHeight });
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllGlobals();
  });

  const element = (length: number, label?: string) => (
    <ProjectList
      heading="Projects"
      rows={createRows(length)}
      loading={false}
      showNewestLabel={label}
    />
  );
  const { rerender, unmount } = render(element(count));
  const positions = () => rows().map(positionOf);
  return {
    scrollIntoView,
    unmount,
    setCount: (length: number, label?: string) => rerender(element(length, label)),
    /** Scrolls to `y`, or to the bottom of the page if it is nearer. */
    scrollTo: (y: number) => {
      const bottom =
        (spacerHeight('first') ?? 0) + totalHeight(rows()) + (spacerHeight('last') ?? 0);
      scrollTop = Math.min(y, bottom - innerHeight);
      act(() => void window.dispatchEvent(new Event('scroll')));
    },
    resizeRows: (newHeightOf: typeof heightOf) => {
      currentHeightOf = newHeightOf;
      act(() => void window.dispatchEvent(new Event('resize')));
    },
    /** Returns the first and last rendered position, and the heights of the spacers. */
    rendered: () => ({
      rows: [positions()[0], positions().at(-1)],
      above: spacerHeight('first'),
      below: spacerHeight('last'),
    }),
    /** Returns whether contiguous rows cover the viewport. */
    isViewportCovered: () => {
      const all = positions();
      const hasGap = all.some((position, i) => i > 0 && position !== (all[i - 1] ?? 0) + 1);
      const top = spacerHeight('first') ?? 0;
      return !hasGap && top <= scrollTop && top + totalHeight(rows()) >= scrollTop + 600;
    },
  };
}

describe('a long list [CHOICE-52]', () => {
  test('renders the rows in the viewport and half a screen on both sides', () => {
    const { rendered, scrollTo } = renderList(5_000);
    expect(rendered()).toEqual({ rows: [1, 25], above: 0, below: 4975 * 40 });
    scrollTo(40_000);
    expect(rendered()).toEqual({ rows: [991, 1025], above: 990 * 40, below: 3975 * 40 });
    scrollTo(5_000 * 40 - 600);
    expect(rendered()).toEqual({ rows: [4976, 5000], above: 4975 * 40, below: 0 });
    scrollTo(0);
    expect(rendered()).toEqual({ rows: [1, 25], above: 0, below: 4975 * 40 });
  });

  test('covers the viewport at every scroll position when row heights differ', () => {
    const { isViewportCovered, scrollTo } = renderList(2_000, (position) =>
      position % 7 === 0 ? 400 : 30,
    );
    for (const y of [0, 3_000, 90_000, 41_234, 41_300, 12, 60_000]) {
      scrollTo(y);
      expect(isViewportCovered(), `scrolled to ${y}`).toBe(true);
    }
  });

  test('measures its rows again when the window is resized', () => {
    const { rendered, resizeRows } = renderList(5_000);
    resizeRows(() => 90);
    expect(rendered()).toEqual({ rows: [1, 15], above: 0, below: 4985 * 90 });
  });

  test('keeps measured heights after scrolling away and back', () => {
    const { rendered, scrollTo } = renderList(1_000, (position) => (position <= 25 ? 40 : 20));
    scrollTo(4_000);
    scrollTo(0);
    expect(rendered().above).toBe(0);
    expect(rendered().below).toBeLessThan(975 * 40);
  });

  test('adapts the rendered rows to a new length, and renders a short list whole', () => {
    const { rendered, setCount, scrollTo } = renderList(60);
    expect(rendered()).toEqual({ rows: [1, 25], above: 0, below: 35 * 40 });
    scrollTo(60 * 40 - 600);
    expect(rendered().rows).toEqual([36, 60]);
    setCount(5_000);
    expect(rendered()).toEqual({ rows: [36, 70], above: 35 * 40, below: 4930 * 40 });
    setCount(51);
    expect(rendered().rows[1]).toBe(51);
    setCount(50);
    expect(rendered()).toEqual({ rows: [1, 50], above: null, below: null });
  });

  test('scrolls to the newest row and focuses its title [CHOICE-59]', () => {
    const { setCount, rendered, scrollIntoView } = renderList(5_000);
    setCount(5_001, 'Show it');
    // As on a wide screen, where the first one is beside the heading.
    const buttons = screen.getAllByRole('button').map(({ textContent }) => textContent);
    expect(buttons).toEqual(['Show all 5001 projects', 'Show it']);
    fireEvent.click(screen.getByRole('button', { name: 'Show it' }));
    expect(rendered().rows[1]).toBe(5_001);
    expect(document.activeElement?.textContent).toBe('Project 5001');
    expect(document.activeElement?.getAttribute('tabindex')).toBe('-1');
    expect(scrollIntoView).toHaveBeenCalledExactlyOnceWith({ block: 'center' });
  });

  test('is rendered whole while it is printed [CHOICE-82]', () => {
    const { rendered } = renderList(60);
    act(() => void window.dispatchEvent(new Event('beforeprint')));
    expect(rendered()).toEqual({ rows: [1, 60], above: null, below: null });
    act(() => void window.dispatchEvent(new Event('afterprint')));
    expect(rendered()).toEqual({ rows: [1, 25], above: 0, below: 35 * 40 });
  });

  test('of more than 10,000 projects says which of them are printed [CHOICE-82]', () => {
    const { rendered } = renderList(10_001);
    act(() => void window.dispatchEvent(new Event('beforeprint')));
    expect(rendered().rows).toEqual([1, 25]);
    expect(screen.getByText('Only projects 1 to 25 of 10001 are printed.')).toBeTruthy();
    expect(screen.queryByRole('button')).toBeNull();
  });

  test('is rendered whole when the user shows all projects, and takes the focus [CHOICE-83]', () => {
    const { rendered } = renderList(60);
    fireEvent.click(screen.getByRole('button', { name: 'Show all 60 projects' }));
    expect(rendered()).toEqual({ rows: [1, 60], above: null, below: null });
    expect(screen.queryByRole('button')).toBeNull();
    expect(document.activeElement).toBe(screen.getByRole('list'));
  });

  test('removes its window listeners when it unmounts', () => {
    const added = vi.spyOn(window, 'addEventListener');
    const { setCount, unmount } = renderList(60);
    setCount(5_000);
    unmount();
    const signals = added.mock.calls
      .filter(([type]) => ['scroll', 'resize', 'keydown'].includes(type))
      .map(([, , options]) => (typeof options === 'object' ? options.signal : undefined));
    expect(signals.length).toBeGreaterThan(2);
    for (const signal of signals) expect(signal?.aborted).toBe(true);
    added.mockRestore();
  });
});

test('a list of up to 50 projects is rendered whole, without a button to show all [CHOICE-57]', () => {
  expect(renderList(50).rendered()).toEqual({ rows: [1, 50], above: null, below: null });
  expect(screen.queryByRole('button')).toBeNull();
});

describe('block offsets', () => {
  test('estimate a block that was never measured by the first measured one', () => {
    const offsets = createBlockOffsets();
    expect(offsets.measure(0, 100)).toBe(true);
    expect([0, 1, 10].map(offsets.offsetOf)).toEqual([0, 100, 1_000]);
    expect(offsets.measure(3, 250)).toBe(true);
    expect([3, 4, 10].map(offsets.offsetOf)).toEqual([300, 550, 1_150]);
  });

  test('change only when a height differs from the expected one', () => {
    const offsets = createBlockOffsets();
    offsets.measure(0, 100);
    expect(offsets.measure(5, 100)).toBe(false);
    expect(offsets.measure(5, 100)).toBe(false);
    expect(offsets.measure(5, 0)).toBe(false);
    expect(offsets.offsetOf(6)).toBe(600);
    expect(offsets.measure(5, 120)).toBe(true);
    expect(offsets.offsetOf(6)).toBe(620);
    expect(offsets.measure(5, 100)).toBe(true);
    expect(offsets.offsetOf(6)).toBe(600);
  });

  test('estimate less in a list that would be higher than browsers support', () => {
    const offsets = createBlockOffsets();
    offsets.setBlockCount(10);
    offsets.measure(0, 26_000);
    expect(offsets.offsetOf(10)).toBe(260_000);
    offsets.setBlockCount(20_000);
    expect(offsets.offsetOf(10)).toBe(26_000 + 9 * 750);
    expect(offsets.offsetOf(20_000)).toBeLessThan(17_000_000);
    offsets.setBlockCount(10);
    expect(offsets.offsetOf(10)).toBe(260_000);
  });

  test('map each y to its block, and y outside the list to the nearest block', () => {
    const offsets = createBlockOffsets();
    offsets.measure(0, 100);
    const blockAt = (y: number) => offsets.blockAt(y, 10);
    expect([-5, 0, 99.9, 100, 950, 1_000, 5_000].map(blockAt)).toEqual([0, 0, 0, 1, 9, 9, 9]);
    expect(offsets.blockAt(500, 0)).toBe(0);
    expect(offsets.blockAt(500, 1)).toBe(0);
  });

  test('keep only the estimate after a reset', () => {
    const offsets = createBlockOffsets();
    offsets.measure(0, 100);
    offsets.measure(1, 300);
    expect(offsets.offsetOf(2)).toBe(400);
    offsets.reset();
    expect([1, 2].map(offsets.offsetOf)).toEqual([100, 200]);
    expect(offsets.measure(7, 50)).toBe(true);
    expect([1, 2, 8].map(offsets.offsetOf)).toEqual([50, 100, 400]);
    offsets.reset();
    expect(offsets.measure(7, 50)).toBe(false);
  });
});
