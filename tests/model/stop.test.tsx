import { createMemoryHistory } from '@tanstack/react-router';
import { act } from '@testing-library/react';
import { expect, test } from 'vitest';
import { createApp } from '../../src/app.tsx';
import { renderApp } from '../support/render-app.tsx';

test('an app that was stopped does nothing any more', async () => {
  const app = await renderApp('/login');
  app.stop();
  expect(app.auth.getSnapshot().status).toBe('stopped');
  expect(app.projects.getSnapshot().status).toBe('stopped');
  document.title = 'of somebody else';
  await act(() => app.router.navigate({ to: '/about' }));
  expect(document.title).toBe('of somebody else');
});

test('an app that is stopped before its actors have come starts none', async () => {
  const app = createApp({ history: createMemoryHistory() });
  const coming = app.actors();
  app.stop();
  const { projects } = await coming;
  projects.send({ type: 'projects.opened' });
  expect(projects.getSnapshot().value).toMatchObject({ list: 'idle' });
});
