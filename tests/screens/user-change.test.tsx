/**
 * What a second sign-in on the same page leaves of a project that was not created. The
 * exploration of the model tests it in all states of the calls.
 */
import { act, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';

import { email, password } from '../../testing/credentials-screen.tsx';
import { renderApp } from '../../testing/render-app.tsx';

const title = () => screen.getByLabelText<HTMLInputElement>('Title');
const description = () => screen.getByLabelText<HTMLTextAreaElement>('Description');
const formTexts = () => [title().value, description().value];
const banner = () => screen.queryByRole('alert')?.textContent;
const submitButton = () => screen.getByRole('button', { name: 'Create Project' });
const about = () => screen.getByRole('link', { name: 'About' });

const office = { title: 'Move to the new office', description: 'Boxes.' };
const texts = Object.values(office);
const expired = 'Please sign in to work with projects.';

/** Renders the app on `/projects`, with the steps of its users. */
async function renderPage() {
  const app = await renderApp('/projects');
  const { backend, user, paste, go } = app;
  const submitLogin = async (address: string) => {
    await go('/login');
    const button = await screen.findByRole('button', { name: 'Sign in' });
    await paste(email(), address);
    await paste(password(), 'correct horse');
    await user.click(button);
    return backend.next('login');
  };
  return {
    ...app,
    submitLogin,
    signIn: async (address: string) => {
      (await submitLogin(address)).answer(200, {});
      await screen.findByRole('heading', { name: 'New Project' });
    },
    refuseProject: async () => {
      await paste(title(), office.title);
      await paste(description(), office.description);
      await user.click(submitButton());
      (await backend.next('createProject')).answer(401, { message: expired });
      await waitFor(() => expect(banner()).toBe(expired));
    },
  };
}

test.each([
  ['the same email', 'ada@example.org', 'ada@example.org'],
  ['the same email in upper case', 'ada@example.org', 'Ada@Example.org'],
  ['the first user of a browser', undefined, 'ada@example.org'],
])('%s finds the refused project, and not the refusal [CHOICE-78]', async (_, first, second) => {
  const { signIn, refuseProject } = await renderPage();
  if (first) await signIn(first);
  await refuseProject();
  await signIn(second);
  expect(formTexts()).toEqual(texts);
  expect(banner()).toBeUndefined();
});

test.each([
  ['Title', title, title],
  ['Description', description, description],
  ['"Create Project"', submitButton, title],
  ['"About"', about, about],
])(
  'another email replaces the edited fields of a form in view and does not lose the focus of %s [CHOICE-77]',
  async (_, focusedBefore, focusedAfter) => {
    const { signIn, refuseProject, submitLogin, go, user } = await renderPage();
    await signIn('ada@example.org');
    await refuseProject();
    const login = await submitLogin('bob@example.org');
    await go('/projects');
    await waitFor(() => expect(formTexts()).toEqual(texts));
    await user.type(title(), ', next year');
    const fields = [title(), description()];
    act(() => focusedBefore().focus());
    await act(async () => login.answer(200, {}));
    await waitFor(() => expect(formTexts()).toEqual(['', '']));
    expect(banner()).toBeUndefined();
    expect(fields.map((field) => field.isConnected)).toEqual([false, false]);
    expect(document.activeElement).toBe(focusedAfter());
    act(() => title().blur());
    expect(title().getAttribute('aria-invalid')).toBe('false');
  },
);

test('another email keeps what was typed into a form that held no submitted project', async () => {
  const { signIn, submitLogin, go, user, auth } = await renderPage();
  await signIn('ada@example.org');
  const login = await submitLogin('bob@example.org');
  await go('/projects');
  await user.type(title(), 'Typed by Bob');
  await act(async () => login.answer(200, {}));
  await waitFor(() => expect(auth.getSnapshot().value).toBe('authenticated'));
  expect(title().value).toBe('Typed by Bob');
});
