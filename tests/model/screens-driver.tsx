import { act, fireEvent, screen } from '@testing-library/react';
import { createSession } from '../../src/session.ts';
import { isAuthenticated, roleOf } from '../../machines/auth.ts';
import { renderApp } from '../../testing/render-app.tsx';
import { buttonOf, labelsOf } from '../../model/calls.ts';
import { forms } from '../../shared/forms.ts';
import type { Driver } from '../../model/driver.ts';
import { createInspector, type Inspection } from '../../model/inspection.ts';
import { readScreen } from '../../model/observation.ts';

/** Returns a driver of the app in happy-dom, with a controlled backend and a simulated clock. */
export async function createScreensDriver(): Promise<
  Driver & {
    /** Returns what the actors did since the last call of this method. */
    inspection: () => Inspection;
  }
> {
  const { inspect, take } = createInspector();
  const app = await renderApp('/', { inspect });

  return {
    async fill(form, values) {
      for (const [index, value] of values.entries()) {
        const field = await screen.findByLabelText(labelsOf(form)[index]!);
        fireEvent.input(field, { target: { value } });
      }
    },
    async answer(call, response) {
      app.backend.answer(call, response);
      await settled();
    },
    async go(address) {
      const link = document.querySelector(`a[href="${address}"]`);
      if (link) fireEvent.click(link);
      else await app.go(address);
      await settled();
    },
    async press(call) {
      fireEvent.click(screen.getByText(buttonOf(call), { selector: 'button' }));
      await settled();
    },
    async signInElsewhere(address) {
      createSession().signIn(address);
      await act(async () => void window.dispatchEvent(new StorageEvent('storage')));
    },
    async elapse(milliseconds) {
      act(() => app.clock.elapse(milliseconds));
    },
    async observe() {
      const snapshot = app.auth.getSnapshot();
      return {
        ...readScreen(Object.values(forms)),
        path: app.path(),
        calls: app.backend.counts(),
        logged: app.logged.map(({ operationId }) => operationId),
        authenticated: isAuthenticated(snapshot),
        role: roleOf(snapshot),
      };
    },
    inspection: take,
  };
}

/** Waits until the app has processed its pending tasks. */
export async function settled() {
  await act(async () => {
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setTimeout(resolve));
  });
}
