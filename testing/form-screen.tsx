import { screen, waitFor } from '@testing-library/react';
import { expect } from 'vitest';
import { type FormName } from '../model/calls.ts';
import { forms } from '../shared/forms.ts';
import { findScreen, renderApp } from './render-app.tsx';

export const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
export const invalid = (label: string) => field(label).getAttribute('aria-invalid');

/** Returns the element that describes a field, which holds its error. */
export const errorElement = (label: string) =>
  document.getElementById(field(label).getAttribute('aria-describedby') ?? '');
export const errorText = (label: string) => errorElement(label)?.textContent;

export const expectError = (label: string, message: string) =>
  waitFor(() => expect(errorText(label)).toBe(message));

export async function renderForm(name: FormName) {
  const { route, button: buttonLabel } = forms[name];
  const app = await renderApp(route);
  await findScreen(route);
  const button = () => screen.getByRole('button', { name: buttonLabel });
  return {
    ...app,
    button,
    submit: () => app.user.click(button()),
    fill: async (label: string, text: string) => {
      await app.user.clear(field(label));
      if (text !== '') await app.paste(field(label), text);
      await app.user.tab();
    },
    count: () => app.backend.count(name),
    body: async () => (await app.backend.next(name)).body,
  };
}
