/**
 * What a second sign-in on the same page leaves of a project that was not created. The
 * exploration of the model tests it in all states of the calls.
 */
import { act, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';

import { forms } from '../../shared/forms.ts';
import { screens } from '../../shared/routes.ts';
import { credentials, email, password, submitAccount } from '../../testing/credentials-screen.tsx';
import {
  createButton as submitButton,
  fillProject,
  formTexts,
  projectField,
} from '../../testing/projects-screen.tsx';
import { newProject, projectOf, storedProject, textNames } from '../../testing/projects.ts';
import { findScreen, renderApp } from '../../testing/render-app.tsx';

const title = () => projectField('title');
const banner = () => screen.queryByRole('alert')?.textContent;
const about = () => screen.getByRole('link', { name: screens['/about'].title });

const texts = newProject();
const expired = 'Please sign in to work with projects.';

/** Renders the app on `/projects`, with the steps of its users. */
async function renderPage() {
  const app = await renderApp('/projects');
  return {
    ...app,
    signIn: async (address: string) => {
      (await submitAccount(app, 'login', address)).answer(200, {});
      await findScreen('/projects');
    },
    refuseProject: async () => {
      await fillProject(app, texts);
      await app.user.click(submitButton());
      (await app.backend.next('createProject')).answer(401, { message: expired });
      await waitFor(() => expect(banner()).toBe(expired));
    },
  };
}

test.each([
  ['the same email in upper case', 'ada@example.org', 'Ada@Example.org'],
  ['the first user of a browser', undefined, 'ada@example.org'],
])('%s finds the refused project, and not the refusal [CHOICE-78]', async (_, first, second) => {
  const { backend, signIn, refuseProject } = await renderPage();
  await backend.next('listProjects');
  if (first) {
    await signIn(first);
    (await backend.next('listProjects')).answer(200, []);
    await screen.findByText('No projects to show.');
  }
  await refuseProject();
  await signIn(second);
  expect(formTexts()).toEqual(texts);
  expect(banner()).toBeUndefined();
});

type Find = () => HTMLElement;
const lastField = () => projectField(textNames.at(-1)!);

test.each<[string, Find, Find]>([
  ['the last field', lastField, lastField],
  ['the button', submitButton, title],
  ['a link', about, about],
])(
  'another email replaces the edited fields of a form in view and does not lose the focus of %s [CHOICE-77]',
  async (_, focusedBefore, focusedAfter) => {
    const app = await renderPage();
    const { signIn, refuseProject, go, user } = app;
    await signIn('ada@example.org');
    await refuseProject();
    const login = await submitAccount(app, 'login', 'bob@example.org');
    await go('/projects');
    await waitFor(() => expect(formTexts()).toEqual(texts));
    await user.type(title(), ', next year');
    const fields = textNames.map(projectField);
    act(() => focusedBefore().focus());
    await act(async () => login.answer(200, {}));
    await waitFor(() => expect(formTexts()).toEqual(projectOf(() => '')));
    expect(banner()).toBeUndefined();
    expect(fields.filter((field) => field.isConnected)).toEqual([]);
    expect(document.activeElement).toBe(focusedAfter());
    act(() => title().blur());
    expect(title().getAttribute('aria-invalid')).toBe('false');
  },
);

test("the registration of another email drops the earlier user's rows, text and project [CHOICE-119]", async () => {
  const app = await renderPage();
  const { backend, signIn, go, user } = app;
  (await backend.next('listProjects')).answer(401, { message: expired });
  await signIn('ada@example.org');
  const row = storedProject({}, 7);
  (await backend.next('listProjects')).answer(200, [row]);
  await screen.findByText(row.title);
  await fillProject(app, texts);
  await user.click(submitButton());
  const pending = await backend.next('createProject');
  (await submitAccount(app, 'registerUser', 'bob@example.org')).answer(201, {});
  await findScreen('/login');
  expect(pending.signal.aborted).toBe(true);
  await go('/projects');
  expect(formTexts()).toEqual(projectOf(() => ''));
  expect(screen.queryByText(row.title)).toBeNull();
});

test('a sign-in drops the text of an app that has received projects, although no user is known [CHOICE-120]', async () => {
  const { backend, refuseProject, signIn } = await renderPage();
  (await backend.next('listProjects')).answer(200, []);
  await screen.findByText('No projects to show.');
  await refuseProject();
  await signIn('ada@example.org');
  expect(formTexts()).toEqual(projectOf(() => ''));
});

test.each(['login', 'registerUser'] as const)(
  'a %s whose body does not end succeeds [CHOICE-122]',
  async (name) => {
    const bytes = new TextEncoder().encode('{}');
    const body = new ReadableStream({ start: (controller) => controller.enqueue(bytes) });
    const { paste, user, path } = await renderApp(forms[name].route, {
      fetch: async () => new Response(body),
    });
    await paste(email(), 'ada@example.org');
    await paste(password(), credentials.password);
    await user.click(screen.getByRole('button', { name: forms[name].button }));
    await waitFor(() => expect(path()).toBe(name === 'login' ? '/projects' : '/login'));
  },
);

test.each([
  ['login', 'pagehide'],
  ['login', 'beforeunload'],
  ['registerUser', 'pagehide'],
] as const)(
  'a pending %s ends when the user leaves the page: %s [CHOICE-122]',
  async (name, event) => {
    const { signal } = await submitAccount(await renderApp('/'), name, 'bob@example.org');
    await act(async () => void window.dispatchEvent(new Event(event)));
    expect(signal.aborted).toBe(true);
    const button = screen.getByRole('button', { name: forms[name].button });
    await waitFor(() => expect(button.getAttribute('aria-busy')).toBe('false'));
    expect(screen.queryAllByRole('alert')).toHaveLength(name === 'login' ? 1 : 0);
  },
);
