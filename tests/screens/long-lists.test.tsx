/** What of a long list needs no layout. tests/browser/virtual-list.test.ts has the rest. */
import { fireEvent, render, screen } from '@testing-library/react';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createBlockOffsets } from '../../src/ui/block-offsets.ts';
import { ProjectList } from '../../src/ui/project-list.tsx';
import { storedProject } from '../../testing/projects.ts';

function renderList(count: number) {
  const rows = Array.from({ length: count }, (_, index) => storedProject({}, index));
  return render(<ProjectList heading="Projects" rows={rows} loading={false} />);
}

test('a list of up to 300 projects is rendered whole, without a button to show all [CHOICE-57]', () => {
  renderList(300);
  expect(screen.getAllByRole('listitem')).toHaveLength(300);
  expect(screen.queryByRole('button')).toBeNull();
});

test('the button of a longer list renders it whole', () => {
  renderList(301);
  fireEvent.click(screen.getByRole('button', { name: 'Show all 301 projects' }));
  expect(screen.getAllByRole('listitem', { hidden: true })).toHaveLength(301);
});

test('a longer list removes its window listeners when it unmounts, and the browser keeps the place again [CHOICE-52]', () => {
  const added = vi.spyOn(window, 'addEventListener');
  onTestFinished(() => added.mockRestore());
  sessionStorage.clear();
  const { unmount } = renderList(301);
  expect(history.scrollRestoration).toBe('manual');
  unmount();
  expect(history.scrollRestoration).toBe('auto');
  expect(Object.keys(sessionStorage)).toEqual([expect.stringMatching(/^place:/)]);
  const signals = added.mock.calls
    .filter(([type]) => ['scroll', 'resize', 'keydown'].includes(type))
    .map(([, , options]) => (typeof options === 'object' ? options.signal : undefined));
  expect(signals.length).toBeGreaterThan(2);
  for (const signal of signals) expect(signal?.aborted).toBe(true);
});

test('a scroll of a longer list ends 300 ms after its last event', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  renderList(301);
  fireEvent.scroll(window);
  vi.advanceTimersByTime(299);
  fireEvent.scroll(window);
  const measured = vi.spyOn(Element.prototype, 'getBoundingClientRect');
  vi.advanceTimersByTime(299);
  expect(measured).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(measured).toHaveBeenCalled();
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
    expect(offsets.measure(5, 101)).toBe(false);
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
    expect(offsets.blockAt(500)).toBe(0);
    offsets.setBlockCount(1);
    expect(offsets.blockAt(500)).toBe(0);
    offsets.setBlockCount(10);
    const blockAt = (y: number) => offsets.blockAt(y);
    expect([-5, 0, 99.9, 100, 950, 1_000, 5_000].map(blockAt)).toEqual([0, 0, 0, 1, 9, 9, 9]);
  });

  test('are outdated when a measured block has another height', () => {
    const offsets = createBlockOffsets();
    offsets.measure(3, 100);
    expect([100, 101, 0, 102].map((height) => offsets.isOutdated(3, height))).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect(offsets.isOutdated(4, 102)).toBe(false);
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
