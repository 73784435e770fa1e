import { screen } from '@testing-library/react';
import { forms } from '../../model/calls.ts';
import { screens } from '../../model/screens.ts';
import { renderApp } from './render-app.tsx';

export const credentials = { email: 'ada@example.org', password: 'correct horse' };

export const email = () => screen.getByLabelText<HTMLInputElement>('Email');
export const password = () => screen.getByLabelText<HTMLInputElement>('Password');

/** Renders the screen of one of the two forms with an email and a password. */
export async function renderCredentialsScreen(name: 'login' | 'registerUser') {
  const { route, button: label } = forms[name];
  const app = await renderApp(route);
  await screen.findByRole('heading', { name: screens[route].heading });
  const button = () => screen.getByRole('button', { name: label });
  const fill = async () => {
    await app.user.clear(email());
    await app.user.type(email(), credentials.email);
    await app.user.clear(password());
    await app.user.type(password(), credentials.password);
  };
  return {
    ...app,
    button,
    fill,
    submit: async () => {
      await fill();
      await app.user.click(button());
    },
  };
}
