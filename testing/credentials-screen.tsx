import { screen } from '@testing-library/react';
import { forms } from '../shared/forms.ts';
import { credentialsOf } from './credentials.ts';
import { renderForm } from './form-screen.tsx';
import type { renderApp } from './render-app.tsx';

export const credentials = credentialsOf();

const { fields } = forms.login;
export const email = () => screen.getByLabelText<HTMLInputElement>(fields.email);
export const password = () => screen.getByLabelText<HTMLInputElement>(fields.password);

/** Goes to the screen of a form, submits it with an email, and returns the request. */
export async function submitAccount(
  { go, user, paste, backend }: Awaited<ReturnType<typeof renderApp>>,
  name: 'login' | 'registerUser',
  address: string,
) {
  await go(forms[name].route);
  await user.clear(email());
  await paste(email(), address);
  await paste(password(), credentials.password);
  await user.click(screen.getByRole('button', { name: forms[name].button }));
  return backend.next(name);
}

/** Renders the screen of a form with an email and a password, which `submit` fills. */
export async function renderCredentialsScreen(name: 'login' | 'registerUser') {
  const form = await renderForm(name);
  return {
    ...form,
    submit: async () => {
      await form.fill(fields.email, credentials.email);
      await form.fill(fields.password, credentials.password);
      await form.submit();
    },
  };
}
