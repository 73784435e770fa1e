import { createMemoryHistory } from '@tanstack/react-router';
import { act } from '@testing-library/react';
import { expect, test } from 'vitest';
import { createApp } from '../../src/boot/app.tsx';
import { renderApp } from '../../testing/render-app.tsx';

test('a stopped app stops its actors and ignores navigation', async () => {
  const app = await renderApp('/login');
  app.stop();
  for (const actor of Object.values(await app.actors())) {
    expect(actor.getSnapshot().status).toBe('stopped');
  }
  document.title = 'Another page';
  await act(() => app.router.navigate({ to: '/about' }));
  expect(document.title).toBe('Another page');
});

test('an app that is stopped while its actors load starts none', async () => {
  const app = createApp({ history: createMemoryHistory() });
  const loading = app.actors();
  app.stop();
  const { projects } = await loading;
  projects.send({ type: 'projects.opened' });
  expect(projects.getSnapshot().value).toMatchObject({ list: 'idle' });
});
