import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { isAuthenticated } from '../../machines/auth.ts';
import { LIST, LOGIN, REGISTER } from '../../model/controlled-backend.ts';
import { renderApp } from '../support/render-app.tsx';

const email = () => screen.getByLabelText<HTMLInputElement>('Email');
const password = () => screen.getByLabelText<HTMLInputElement>('Password');
const button = () => screen.getByRole('button', { name: 'Sign in' });
const banner = () => screen.queryByRole('alert')?.textContent;

async function signInScreen() {
  const app = await renderApp('/login');
  await screen.findByRole('heading', { name: 'Sign in' });
  return {
    ...app,
    submit: async () => {
      await app.user.clear(email());
      await app.user.type(email(), 'ada@example.org');
      await app.user.clear(password());
      await app.user.type(password(), 'correct horse');
      await app.user.click(button());
    },
    refuse: async (status: number, body?: unknown) => {
      const call = await app.backend.next(LOGIN);
      call.answer(status, body);
      await waitFor(() => expect(button().getAttribute('aria-busy')).toBe('false'));
    },
  };
}

test('[LOGIN-1, LOGIN-2, LOGIN-3, LOGIN-4, LOGIN-6] the screen has its texts, two fields, a button and no banner', async () => {
  await signInScreen();
  expect(screen.getByText('Enter your email and password to sign in')).toBeDefined();
  expect(email().type).toBe('email');
  expect(password().type).toBe('password');
  expect(email().form?.querySelectorAll('input, textarea, select')).toHaveLength(2);
  expect(button().getAttribute('type')).toBe('submit');
  expect(banner()).toBeUndefined();
});

test('password managers understand the fields', async () => {
  await signInScreen();
  expect(email().autocomplete).toBe('username');
  expect(password().autocomplete).toBe('current-password');
  expect([email().name, password().name]).toEqual(['email', 'password']);
});

test('[CALL-5] signing in sends what was typed', async () => {
  const { submit, backend } = await signInScreen();
  await submit();
  expect((await backend.next(LOGIN)).body).toEqual({
    email: 'ada@example.org',
    password: 'correct horse',
  });
});

test('[ERROR-1, LOGIN-5, AUTH-5] a refusal shows its message in the banner above the form, and keeps what was typed', async () => {
  const { submit, refuse } = await signInScreen();
  await submit();
  await refuse(401, { message: 'The email or the password is not right.' });
  expect(banner()).toBe('The email or the password is not right.');
  expect(screen.getByRole('alert').compareDocumentPosition(button())).toBe(
    Node.DOCUMENT_POSITION_FOLLOWING,
  );
  expect([email().value, password().value]).toEqual(['ada@example.org', 'correct horse']);
});

test('the message is shown as text, whole, and in the direction that it is written in', async () => {
  const { submit, refuse } = await signInScreen();
  await submit();
  const message = '<b>غير صحيح</b>\n\n  &amp; more';
  await refuse(401, { message });
  expect(banner()).toBe(message);
  expect(screen.getByRole('alert').getAttribute('dir')).toBe('auto');
});

test('[ERROR-2] a refusal without a message shows "Internal Server Error"', async () => {
  const { submit, refuse } = await signInScreen();
  await submit();
  await refuse(500);
  expect(banner()).toBe('Internal Server Error');
});

test('[CHOICE-12] no answer at all shows "Internal Server Error"', async () => {
  const { submit, backend } = await signInScreen();
  await submit();
  (await backend.next(LOGIN)).drop();
  expect((await screen.findByRole('alert')).textContent).toBe('Internal Server Error');
});

test('[ERROR-3, CHOICE-15] a fault of our own shows no message, wipes the old one, and is logged', async () => {
  const { submit, refuse, auth, logged } = await signInScreen();
  await submit();
  await refuse(401, { message: 'Wrong.' });
  expect(banner()).toBe('Wrong.');
  auth.send({ type: 'login', credentials: { email: 1n, password: '' } as never });
  await waitFor(() => expect(banner()).toBeUndefined());
  expect(logged).toEqual([{ what: 'login', reason: expect.any(Error) }]);
});

test('[CHOICE-1, CHOICE-22] the old message stays while a retry is pending, and gives way to the next', async () => {
  const { submit, refuse, backend } = await signInScreen();
  await submit();
  await refuse(401, { message: 'First.' });
  await submit();
  const retry = await backend.next(LOGIN);
  expect(banner()).toBe('First.');
  retry.answer(401, { message: 'Second.' });
  await waitFor(() => expect(banner()).toBe('Second.'));
});

test('[CHOICE-3, AUTH-3, CHOICE-4] the message survives leaving the screen, and goes with success, which leads to the projects', async () => {
  const { submit, refuse, go, backend, path, auth } = await signInScreen();
  await submit();
  await refuse(401, { message: 'Wrong.' });
  await go('/about');
  await screen.findByText('About Page');
  expect(banner()).toBeUndefined();
  await go('/login');
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(banner()).toBe('Wrong.');
  await submit();
  (await backend.next(LOGIN)).answer(200, {});
  await screen.findByRole('heading', { name: 'List of Projects' });
  expect(path()).toBe('/projects');
  expect(isAuthenticated(auth.getSnapshot())).toBe(true);
  await go('/login');
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(banner()).toBeUndefined();
});

test('[CALL-6, CHOICE-16] a success whose body is no JSON is a success', async () => {
  const { submit, backend, path } = await signInScreen();
  await submit();
  (await backend.next(LOGIN)).answerText(200, '<h1>Welcome</h1>');
  await waitFor(() => expect(path()).toBe('/projects'));
});

test('whoever was led on to the projects can go back', async () => {
  const { submit, backend, path, router } = await signInScreen();
  await submit();
  (await backend.next(LOGIN)).answer(200, {});
  await waitFor(() => expect(path()).toBe('/projects'));
  act(() => router.history.back());
  await waitFor(() => expect(path()).toBe('/login'));
});

test('[CHOICE-4] whoever left the screen meanwhile stays where they are', async () => {
  const { submit, backend, go, path, auth } = await signInScreen();
  await submit();
  await go('/about');
  (await backend.next(LOGIN)).answer(200, {});
  await waitFor(() => expect(isAuthenticated(auth.getSnapshot())).toBe(true));
  expect(path()).toBe('/about');
});

test('[CHOICE-47] signing in with the projects in view fetches them anew', async () => {
  const { submit, backend, go } = await signInScreen();
  await submit();
  await go('/projects');
  (await backend.next(LIST)).answer(401, { message: 'Please sign in.' });
  await screen.findByText('No projects to show.');
  (await backend.next(LOGIN)).answer(200, {});
  (await backend.next(LIST)).answer(200, [{ id: 1, title: 'Mine', description: 'All of it' }]);
  expect(await screen.findByText('Mine')).toBeDefined();
});

test('[CHOICE-47] signing in drops the rows of whoever was signed in before', async () => {
  const { submit, backend, go } = await signInScreen();
  await go('/projects');
  (await backend.next(LIST)).answer(200, [{ id: 1, title: 'Somebody’s', description: 'Own' }]);
  await screen.findByText('Somebody’s');
  await go('/login');
  await submit();
  (await backend.next(LOGIN)).answer(200, {});
  await screen.findByText('Loading projects…');
  expect(screen.queryByText('Somebody’s')).toBeNull();
});

test('[CHOICE-7] while signing in is pending the button is busy, keeps the focus, and submits nothing more', async () => {
  const { submit, backend, user } = await signInScreen();
  await submit();
  await waitFor(() => expect(button().getAttribute('aria-busy')).toBe('true'));
  expect(button().getAttribute('aria-disabled')).toBe('true');
  expect(document.activeElement).toBe(button());
  await user.click(button());
  await user.dblClick(button());
  await user.type(password(), '{Enter}');
  expect(backend.count(LOGIN)).toBe(1);
});

test('[CHOICE-7] a double click signs in once', async () => {
  const { user, backend } = await signInScreen();
  await user.type(email(), 'ada@example.org');
  await user.type(password(), 'correct horse');
  await user.dblClick(button());
  (await backend.next(LOGIN)).answer(401, { message: 'Wrong.' });
  await screen.findByRole('alert');
  expect(backend.count(LOGIN)).toBe(1);
});

test('[CHOICE-7] the second click of a double click submits nothing, even with the answer between the two', async () => {
  const { submit, refuse } = await signInScreen();
  await submit();
  await refuse(401, { message: 'Wrong.' });
  expect(button().getAttribute('aria-disabled')).toBe('false');
  expect(fireEvent.click(button(), { detail: 2 })).toBe(false);
  expect(fireEvent.click(button(), { detail: 1 })).toBe(true);
});

test('Enter in a field signs in', async () => {
  const { user, backend } = await signInScreen();
  await user.type(email(), 'ada@example.org');
  await user.type(password(), 'correct horse{Enter}');
  expect((await backend.next(LOGIN)).body).toMatchObject({ email: 'ada@example.org' });
});

test('a password manager that fills and submits without a word is believed', async () => {
  const { backend } = await signInScreen();
  email().value = 'ada@example.org';
  password().value = 'correct horse';
  email().form?.requestSubmit();
  expect((await backend.next(LOGIN)).body).toEqual({
    email: 'ada@example.org',
    password: 'correct horse',
  });
});

test('[CHOICE-8] registering while signing in is pending takes over', async () => {
  const { submit, backend, go, user, path } = await signInScreen();
  await submit();
  const login = await backend.next(LOGIN);
  await go('/register');
  await screen.findByRole('heading', { name: 'Create an account' });
  await user.type(email(), 'new@example.org');
  await user.type(password(), 'correct horse');
  await user.click(screen.getByRole('button', { name: 'Register' }));
  const register = await backend.next(REGISTER);
  expect(login.signal.aborted).toBe(true);
  register.answer(201, { role: 'member' });
  await waitFor(() => expect(path()).toBe('/login'));
});

test('[CHOICE-9, AUTH-1] whoever loads the page anew counts as not authenticated', async () => {
  const { auth } = await signInScreen();
  expect(isAuthenticated(auth.getSnapshot())).toBe(false);
});
