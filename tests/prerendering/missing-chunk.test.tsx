import { createMemoryHistory } from '@tanstack/react-router';
import { act, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { createApp } from '../../src/boot/app.tsx';
import { loadErrorMessage } from '../../src/boot/load-lazy-chunk.ts';

const chunk = vi.hoisted(() => ({ isMissing: true }));
vi.mock('../../src/boot/lazy-chunk.ts', async (importOriginal) => {
  if (chunk.isMissing) throw new Error('missing');
  return importOriginal();
});

test('a screen without its chunk is an alert until the network is back [CHOICE-86, CHOICE-87]', async () => {
  const history = createMemoryHistory({ initialEntries: ['/login'] });
  const { element, router } = createApp({ history, log: () => {} });
  await act(async () => {
    render(element);
    await router.load();
  });
  expect(screen.getByRole('alert').textContent).toBe(loadErrorMessage);
  chunk.isMissing = false;
  await act(async () => void dispatchEvent(new Event('online')));
  await screen.findByRole('form');
  expect(screen.queryByRole('alert')).toBeNull();
});
