import { act, fireEvent, screen, within } from '@testing-library/react';
import { isAuthenticated, roleOf } from '../../../machines/auth.ts';
import { renderApp } from '../../support/render-app.tsx';
import { createBackendDriver } from '../../../model/controlled-backend.ts';
import { formNames, forms } from '../../../model/calls.ts';
import type { InspectedDriver, LateDriver, Observation } from '../../../model/driver.ts';
import { screens } from '../../../src/screens/table.ts';
import { createInspector } from '../../../model/inspection.ts';

/** Returns a driver of the app in happy-dom, with a controlled backend and a simulated clock. */
export async function createScreensDriver(): Promise<InspectedDriver & LateDriver> {
  const backend = createBackendDriver(settled);
  const { inspect, take } = createInspector();
  const app = await renderApp('/', { fetch: backend.fetch, inspect });

  return {
    ...backend,
    async go(to) {
      if (app.path() === to) return;
      fireEvent.click(screen.getByText(screens[to].title, { selector: 'a' }));
      await settled();
    },
    async submit(form, values) {
      const { button, fields } = forms[form];
      for (const [index, value] of (values ?? []).entries()) {
        fireEvent.change(await screen.findByLabelText(fields[index]!), { target: { value } });
      }
      fireEvent.click(screen.getByText(button, { selector: 'button' }));
      await settled();
    },
    async elapse(milliseconds) {
      act(() => app.clock.elapse(milliseconds));
    },
    async observe() {
      const snapshot = app.auth.getSnapshot();
      return {
        path: app.path(),
        ...observeRenderedScreen(),
        calls: backend.calls(),
        logged: app.logged.map(({ operationId }) => operationId),
        authenticated: isAuthenticated(snapshot),
        role: roleOf(snapshot),
      };
    },
    inspection: async () => take(),
  };
}

function observeRenderedScreen(): Pick<Observation, 'form' | 'banner' | 'list' | 'announced'> {
  const textOf = (selector: string) => document.querySelector(selector)?.textContent;
  const name = formNames.find((form) =>
    screen.queryByText(forms[form].button, { selector: 'button' }),
  );
  const button = name && screen.getByText(forms[name].button, { selector: 'button' });
  // By text, because lookups by role are too slow for every step. tests/app/screens tests the
  // roles.
  const list = screen.queryByText('List of Projects', { selector: 'h2' })?.closest('section');
  return {
    banner: textOf('[role=alert]'),
    announced: document.querySelector('[role=status]')?.textContent.trim() ?? '',
    form: button && {
      button: forms[name].button,
      busy: button.getAttribute('aria-busy') === 'true',
      values: forms[name].fields.map(
        (label) => screen.getByLabelText<HTMLInputElement>(label).value,
      ),
    },
    list: list
      ? {
          busy: list.getAttribute('aria-busy') === 'true',
          rows: [...list.querySelectorAll('li')].map((row) => [
            fieldOf(row, 'title'),
            fieldOf(row, 'description'),
          ]),
          note: within(list).queryByText(/^(Loading projects…|No projects to show\.)$/)
            ?.textContent,
        }
      : undefined,
  };
}

function fieldOf(row: Element, name: string): string {
  return row.querySelector(`[data-field=${name}]`)?.textContent ?? `no ${name}`;
}

/** Waits until the app has processed its pending tasks. */
async function settled() {
  await act(async () => {
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setTimeout(resolve));
  });
}
