import { act } from '@testing-library/react';
import { expect, test } from 'vitest';
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
