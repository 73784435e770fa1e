import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { isAuthenticated, roleOf } from '../../machines/auth.ts';
import {
  credentials,
  email,
  password,
  renderCredentialsScreen,
  submitAccount,
} from '../../testing/credentials-screen.tsx';
import { findScreen } from '../../testing/render-app.tsx';

async function renderRegister() {
  const app = await renderCredentialsScreen('registerUser');
  return {
    ...app,
    /** Submits the form and returns the request. */
    register: async () => {
      await app.submit();
      return app.backend.next('registerUser');
    },
  };
}

test('a registration stores its response as the user and leads to /login, with the same header [REGISTER-5, AUTH-7, AUTH-8, ENTITY-3, CALL-7, ROLE-1, HEADER-7, CHOICE-10, CHOICE-117]', async () => {
  const app = await renderRegister();
  const { register, path, auth } = app;
  expect(roleOf(auth.getSnapshot())).toBeUndefined();
  const call = await register();
  expect(call.body).toEqual(credentials);
  call.answer(201, { role: 'keeper' });
  await findScreen('/login');
  expect(path()).toBe('/login');
  expect(isAuthenticated(auth.getSnapshot())).toBe(true);
  expect(roleOf(auth.getSnapshot())).toBe('keeper');
  expect(screen.queryByRole('alert')).toBeNull();
  expect([email().value, password().value]).toEqual([credentials.email, '']);
  for (const name of ['Sign up', 'Sign in']) screen.getByRole('link', { name });
  (await submitAccount(app, 'login', credentials.email)).answer(200, {});
  await findScreen('/projects');
  await app.go('/login');
  await findScreen('/login');
  expect(email().value).toBe('');
});

test.each([
  ['with a message', 409, { message: 'An account with this email already exists.' }],
  ['without a message', 500, undefined],
])(
  'a refusal %s shows nothing, keeps what was typed, and can be retried [AUTH-9, AUTH-10, ERROR-4, CHOICE-6]',
  async (_, status, body) => {
    const { register, path, auth, user, backend, button } = await renderRegister();
    const call = await register();
    const before = document.body.textContent;
    await waitFor(() => expect(button().getAttribute('aria-busy')).toBe('true'));
    call.answer(status, body);
    await waitFor(() => expect(button().getAttribute('aria-busy')).toBe('false'));
    expect(document.body.textContent).toBe(before);
    expect(screen.queryByRole('alert')).toBeNull();
    expect([email().value, password().value]).toEqual([credentials.email, credentials.password]);
    expect(isAuthenticated(auth.getSnapshot())).toBe(false);
    expect(path()).toBe('/register');
    await user.click(button());
    (await backend.next('registerUser')).answer(201, {});
    await waitFor(() => expect(path()).toBe('/login'));
  },
);
