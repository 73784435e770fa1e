import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { isAuthenticated, role } from '../../machines/auth.ts';
import { LOGIN, REGISTER } from '../../model/controlled-backend.ts';
import { renderApp } from '../support/render-app.tsx';

const email = () => screen.getByLabelText<HTMLInputElement>('Email');
const password = () => screen.getByLabelText<HTMLInputElement>('Password');
const button = () => screen.getByRole('button', { name: 'Register' });

async function registerScreen() {
  const app = await renderApp('/register');
  await screen.findByRole('heading', { name: 'Create an account' });
  return {
    ...app,
    submit: async () => {
      await app.user.type(email(), 'ada@example.org');
      await app.user.type(password(), 'correct horse');
      await app.user.click(button());
      return app.backend.next(REGISTER);
    },
  };
}

test('[REGISTER-1, REGISTER-2, REGISTER-3, REGISTER-4, CHOICE-42] the screen has its texts, two fields and a button', async () => {
  await registerScreen();
  expect(screen.getByText('Enter your email and password to register')).toBeDefined();
  expect(email().type).toBe('email');
  expect(password().type).toBe('password');
  expect(email().form?.querySelectorAll('input, textarea, select')).toHaveLength(2);
  expect(button().getAttribute('type')).toBe('submit');
});

test('password managers understand the fields', async () => {
  await registerScreen();
  expect(email().autocomplete).toBe('username');
  expect(password().autocomplete).toBe('new-password');
});

test('[REGISTER-5, AUTH-7, AUTH-8, CALL-7, ROLE-1] registering makes the answer the user and leads to /login', async () => {
  const { submit, path, auth } = await registerScreen();
  const call = await submit();
  expect(call.body).toEqual({ email: 'ada@example.org', password: 'correct horse' });
  call.answer(201, { role: 'keeper' });
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(path()).toBe('/login');
  expect(isAuthenticated(auth.getSnapshot())).toBe(true);
  expect(role(auth.getSnapshot())).toBe('keeper');
  expect(screen.queryByRole('alert')).toBeNull();
});

test.each([
  ['a refusal with a message', 409, { message: 'An account with this email already exists.' }],
  ['a refusal without one', 500, undefined],
])(
  '[AUTH-9, AUTH-10, ERROR-4, CHOICE-6] %s shows nothing, keeps what was typed, and leaves the button live',
  async (_, status, body) => {
    const { submit, path, auth, user, backend } = await registerScreen();
    const call = await submit();
    const before = document.body.textContent;
    await waitFor(() => expect(button().getAttribute('aria-busy')).toBe('true'));
    call.answer(status, body);
    await waitFor(() => expect(button().getAttribute('aria-busy')).toBe('false'));
    expect(document.body.textContent).toBe(before);
    expect(screen.queryByRole('alert')).toBeNull();
    expect([email().value, password().value]).toEqual(['ada@example.org', 'correct horse']);
    expect(isAuthenticated(auth.getSnapshot())).toBe(false);
    expect(path()).toBe('/register');
    await user.click(button());
    (await backend.next(REGISTER)).answer(201, {});
    await waitFor(() => expect(path()).toBe('/login'));
  },
);

test('[AUTH-10] a failed registration leaves no message on the sign-in screen', async () => {
  const { submit, go } = await registerScreen();
  (await submit()).answer(409, { message: 'Taken.' });
  await waitFor(() => expect(button().getAttribute('aria-busy')).toBe('false'));
  await go('/login');
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(screen.queryByRole('alert')).toBeNull();
});

test('[CHOICE-5] whoever left the screen meanwhile stays where they are', async () => {
  const { submit, go, path, auth } = await registerScreen();
  const call = await submit();
  await go('/about');
  call.answer(201, { role: 'member' });
  await waitFor(() => expect(isAuthenticated(auth.getSnapshot())).toBe(true));
  expect(path()).toBe('/about');
});

test('[CHOICE-7] while registering is pending nothing is sent a second time', async () => {
  const { submit, user, backend } = await registerScreen();
  await submit();
  await user.dblClick(button());
  await user.type(password(), '{Enter}');
  expect(backend.count(REGISTER)).toBe(1);
});

test('[APP-1] somebody registers, and signs in with the same email and password', async () => {
  const { submit, user, backend, path } = await registerScreen();
  const registration = await submit();
  registration.answer(201, { role: 'member' });
  await screen.findByRole('heading', { name: 'Sign in' });
  await user.type(email(), 'ada@example.org');
  await user.type(password(), 'correct horse');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  const login = await backend.next(LOGIN);
  expect(login.body).toEqual(registration.body);
  login.answer(200, {});
  await waitFor(() => expect(path()).toBe('/projects'));
});
