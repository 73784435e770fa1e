import { createMemoryHistory } from '@tanstack/react-router';
import { act, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { onTestFinished } from 'vitest';
import { createApp, type AppOptions } from '../src/boot/app.tsx';
import { createClock } from '../model/clock.ts';
import { controlledBackend } from '../model/controlled-backend.ts';
import { screens, type Route } from '../shared/routes.ts';

/** Renders the app on a route, with a controlled backend, a simulated clock and a recorded log. */
export async function renderApp(route: string, options: AppOptions = {}) {
  const backend = controlledBackend();
  const clock = createClock();
  const logged: { operationId: string; error: unknown }[] = [];
  const app = createApp({
    fetch: backend.fetch,
    history: createMemoryHistory({ initialEntries: [route] }),
    clock,
    log: (operationId, error) => logged.push({ operationId, error }),
    ...options,
  });
  // Without a delay, a test does not wait for a timer after each key. A pointer that moves changes
  // nothing without style sheets, and takes a tenth of the processor time.
  const user = userEvent.setup({ delay: null, skipHover: true, pointerEventsCheck: 0 });
  await act(async () => {
    render(app.element);
    await app.router.load();
  });
  const actors = await app.actors();
  onTestFinished(() => app.stop());
  return {
    ...app,
    ...actors,
    backend,
    clock,
    logged,
    user,
    /** Pastes a text at the end of a field. Each typed key would render the app. */
    paste: async (field: HTMLElement, text: string) => {
      await user.click(field);
      await user.paste(text);
    },
    go: (to: string) => act(() => app.router.navigate({ to })),
    path: () => app.router.state.location.pathname,
  };
}

/** Waits until the app shows a screen. */
export const findScreen = (route: Route) =>
  screen.findByRole('heading', { level: 1, name: screens[route].heading });
