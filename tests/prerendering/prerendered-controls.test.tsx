import { act, screen } from '@testing-library/react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { expect, onTestFinished, test, vi } from 'vitest';
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
