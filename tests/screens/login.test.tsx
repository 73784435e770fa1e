import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { isAuthenticated } from '../../machines/auth.ts';

import {
  credentials,
  email,
  password,
  renderCredentialsScreen,
} from '../../testing/credentials-screen.tsx';
import { storedProject } from '../../testing/projects.ts';
import { findScreen } from '../../testing/render-app.tsx';

const banner = () => screen.queryByRole('alert')?.textContent;

async function renderLogin() {
  const app = await renderCredentialsScreen('login');
  return {
    ...app,
    /** Answers the login and waits until the button is ready again. */
    refuse: async (status: number, body?: unknown) => {
      (await app.backend.next('login')).answer(status, body);
      await waitFor(() => expect(app.button().getAttribute('aria-busy')).toBe('false'));
    },
  };
}

const hugeMessage = 'a'.repeat(100_000);
const htmlMessage = '<b>غير صحيح</b>\n\n  &amp; more';

test.each([
  ['the message of the response [ERROR-1, LOGIN-5, AUTH-5]', 401, { message: 'Wrong.' }, 'Wrong.'],
  ['the whole message as text', 401, { message: htmlMessage }, htmlMessage],
  ['100,000 characters', 401, { message: hugeMessage }, hugeMessage],
  ['"Internal Server Error" without a message [ERROR-2]', 500, undefined, 'Internal Server Error'],
])(
  'a refused login shows %s in the banner above the form, and keeps what was typed',
  async (_, status, body, message) => {
    const { submit, refuse, button } = await renderLogin();
    await submit();
    await refuse(status, body);
    expect(banner()).toBe(message);
    expect(screen.getByRole('alert').getAttribute('dir')).toBe('auto');
    expect(screen.getByRole('alert').compareDocumentPosition(button())).toBe(
      Node.DOCUMENT_POSITION_FOLLOWING,
    );
    expect(screen.getByRole('alert').closest('form')).toBeNull();
    expect([email().value, password().value]).toEqual([credentials.email, credentials.password]);
  },
);

test('an exception shows no message, clears the old one, and is logged [ERROR-3, CHOICE-15]', async () => {
  const { submit, refuse, auth, logged } = await renderLogin();
  await submit();
  await refuse(401, { message: 'Wrong.' });
  expect(banner()).toBe('Wrong.');
  auth.send({ type: 'login', credentials: { email: 1n, password: '' } as never });
  await waitFor(() => expect(banner()).toBeUndefined());
  expect(logged).toEqual([{ operationId: 'login', error: expect.any(Error) }]);
});

test('the same message is announced again after the next refusal [LOGIN-5]', async () => {
  const { submit, refuse } = await renderLogin();
  await submit();
  await refuse(401, { message: 'Wrong.' });
  const first = screen.getByRole('alert');
  await submit();
  expect(first.isConnected).toBe(true);
  await refuse(401, { message: 'Wrong.' });
  expect(screen.getByRole('alert').textContent).toBe('Wrong.');
  // Screen readers announce an alert when its element is new.
  expect(first.isConnected).toBe(false);
});

test('the message survives a navigation, and is cleared by success, which leads to the projects [CHOICE-3, AUTH-3, CHOICE-4]', async () => {
  const { submit, refuse, go, backend, path, auth } = await renderLogin();
  await submit();
  await refuse(401, { message: 'Wrong.' });
  await go('/about');
  await findScreen('/about');
  expect(banner()).toBeUndefined();
  await go('/login');
  await findScreen('/login');
  expect(banner()).toBe('Wrong.');
  await submit();
  (await backend.next('login')).answer(200, {});
  await screen.findByRole('heading', { name: 'List of Projects' });
  expect(path()).toBe('/projects');
  expect(isAuthenticated(auth.getSnapshot())).toBe(true);
  await go('/login');
  await findScreen('/login');
  expect(banner()).toBeUndefined();
});

test('the back button returns from the projects to the sign-in screen', async () => {
  const { submit, backend, path, router } = await renderLogin();
  await submit();
  (await backend.next('login')).answer(200, {});
  await waitFor(() => expect(path()).toBe('/projects'));
  act(() => router.history.back());
  await waitFor(() => expect(path()).toBe('/login'));
});

test('the second click of a double click submits nothing after the response [CHOICE-7]', async () => {
  const { submit, refuse, button } = await renderLogin();
  await submit();
  await refuse(401, { message: 'Wrong.' });
  expect(button().getAttribute('aria-disabled')).toBe('false');
  expect(fireEvent.click(button(), { detail: 2 })).toBe(false);
  expect(fireEvent.click(button(), { detail: 1 })).toBe(true);
});

test('a password manager may fill and submit the form without any event', async () => {
  const { backend } = await renderLogin();
  email().value = credentials.email;
  password().value = credentials.password;
  email().form?.requestSubmit();
  expect((await backend.next('login')).body).toEqual(credentials);
});

test('a user signs in, sees the projects and leaves them when the browser refuses cookies and storage [CHOICE-20]', async () => {
  const refuse = () => {
    throw new DOMException('Refused.', 'SecurityError');
  };
  vi.spyOn(document, 'cookie', 'get').mockImplementation(refuse);
  vi.spyOn(window, 'localStorage', 'get').mockImplementation(refuse);
  vi.spyOn(window, 'sessionStorage', 'get').mockImplementation(refuse);
  const { submit, backend, logged, go } = await renderLogin();
  await submit();
  (await backend.next('login')).answer(200, {});
  const project = storedProject();
  (await backend.next('listProjects')).answer(200, [project]);
  await screen.findByRole('heading', { name: project.title });
  await go('/about');
  await findScreen('/about');
  expect(logged).toEqual([]);
});
