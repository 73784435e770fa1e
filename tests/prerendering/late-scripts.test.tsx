import { createMemoryHistory } from '@tanstack/react-router';
import { act, render, screen, waitFor } from '@testing-library/react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createApp } from '../../src/boot/app.tsx';
import type { Prerendered } from '../../src/boot/prerendered.ts';
import { loadErrorMessage } from '../../src/boot/load-lazy-chunk.ts';
import { screens, windowTitle } from '../../shared/routes.ts';
import { Button, SubmitButton } from '../../src/ui/button.tsx';

test('a prerendered button is disabled, unless it submits a form, and works after hydration', async () => {
  const onClick = vi.fn<() => void>();
  const buttons = (
    <>
      <SubmitButton busy={false}>Create Project</SubmitButton>
      <Button onClick={onClick}>Show the new project</Button>
    </>
  );
  const container = document.createElement('div');
  document.body.append(container);
  onTestFinished(() => container.remove());
  container.innerHTML = renderToString(buttons);
  const submit = screen.getByRole<HTMLButtonElement>('button', { name: 'Create Project' });
  const show = screen.getByRole<HTMLButtonElement>('button', { name: 'Show the new project' });
  expect([submit.disabled, show.disabled]).toEqual([false, true]);

  const root = await act(async () => hydrateRoot(container, buttons));
  onTestFinished(() => act(() => root.unmount()));
  expect([submit.disabled, show.disabled]).toEqual([false, false]);
  show.click();
  expect(onClick).toHaveBeenCalledOnce();
  expect(show.isConnected).toBe(true);
});

const chunk = vi.hoisted(() => ({ isMissing: true }));
vi.mock('../../src/boot/lazy-chunk.ts', () => {
  if (chunk.isMissing) throw new Error('missing');
  const nothing = () => ({});
  const lazyScreens = { '/login': () => <h1>The screen</h1> };
  return { createActors: nothing, createApi: nothing, createSession: nothing, lazyScreens };
});

vi.mock('../../src/boot/app-root.ts', () => ({ createAppRoot: () => ({ hydrate() {} }) }));

test('a link of the prerendered screen ends the wait for its missing chunk [CHOICE-86]', async () => {
  const send = vi.fn<Prerendered['send']>();
  const root = document.createElement('div');
  window.prerendered = { root, send } as unknown as Prerendered;
  onTestFinished(() => void delete window.prerendered);
  vi.spyOn(console, 'error').mockReturnValue();
  location.hash = '#/login';
  await import('../../src/boot/main.tsx');
  await waitFor(() => expect(send.mock.calls).toEqual([['fail']]));
  location.hash = '#/register';
  await waitFor(() => expect(send.mock.calls).toEqual([['fail'], ['fail']]));
  // As of a link of the screen itself.
  document.body.click();
  await waitFor(() => expect(send.mock.calls).toEqual([['fail'], ['fail'], ['fail']]));
});

test('a screen without its chunk is an alert until the network is back [CHOICE-86, CHOICE-87]', async () => {
  const history = createMemoryHistory({ initialEntries: ['/login'] });
  const { element, router } = createApp({ history, log: () => {} });
  await act(async () => {
    render(element);
    await router.load();
  });
  expect(screen.getByRole('alert').textContent).toBe(loadErrorMessage);
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe(screens['/login'].title);
  expect(document.title).toBe(windowTitle('/login'));
  await act(() => router.navigate({ to: '/about' }));
  expect(screen.queryByRole('alert')).toBeNull();
  await act(async () => router.history.back());
  await screen.findByRole('alert');
  expect(screen.getByRole('contentinfo')).toBeDefined();
  chunk.isMissing = false;
  await act(async () => void dispatchEvent(new Event('online')));
  await waitFor(() => expect(screen.queryByRole('alert')?.textContent).toBeUndefined());
  expect(screen.getByRole('heading').textContent).toBe('The screen');
});
