import { screen } from '@testing-library/react';
import { credentialsOf } from './credentials.ts';
import { renderForm } from './form-screen.tsx';

export const credentials = credentialsOf();

export const email = () => screen.getByLabelText<HTMLInputElement>('Email');
export const password = () => screen.getByLabelText<HTMLInputElement>('Password');

/** Renders the screen of a form with an email and a password, which `submit` fills. */
export async function renderCredentialsScreen(name: 'login' | 'registerUser') {
  const form = await renderForm(name);
  return {
    ...form,
    submit: async () => {
      await form.fill('Email', credentials.email);
      await form.fill('Password', credentials.password);
      await form.submit();
    },
  };
}
