import { screen } from '@testing-library/react';
import { forms } from '../shared/forms.ts';
import { credentialsOf } from './credentials.ts';
import { renderForm } from './form-screen.tsx';

export const credentials = credentialsOf();

const { fields } = forms.login;
export const email = () => screen.getByLabelText<HTMLInputElement>(fields.email);
export const password = () => screen.getByLabelText<HTMLInputElement>(fields.password);

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
