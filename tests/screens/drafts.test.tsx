/** The text of the form for a project, after the page was loaded again in the same tab. */
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { createSession } from '../../src/session.ts';
import { credentials, email, password, submitAccount } from '../../testing/credentials-screen.tsx';
import {
  createButton,
  fillProject,
  formTexts,
  projectField,
} from '../../testing/projects-screen.tsx';
import { newProject, projectOf, storedProject, textNames } from '../../testing/projects.ts';
import { findScreen, renderApp } from '../../testing/render-app.tsx';

const [ada, bob] = ['ada@example.org', 'bob@example.org'];
const texts = newProject();
const none = projectOf(() => '');

type App = Awaited<ReturnType<typeof renderApp>>;

const itemName = 'tracker-draft';
const isKept = () => sessionStorage.getItem(itemName) !== null;

const signInElsewhere = (address: string) => createSession().signIn(address);

async function submit(app: App) {
  await app.user.click(createButton());
  return app.backend.next('createProject');
}

/** Signs in, or registers. */
async function acceptAccount(app: App, name: 'login' | 'registerUser', address: string) {
  (await submitAccount(app, name, address)).answer(200, {});
  await findScreen(name === 'login' ? '/projects' : '/login');
}

/** Fills the form as a user whom the browser knows, or not. */
async function renderFilled(user?: string) {
  if (user) signInElsewhere(user);
  const app = await renderApp('/projects');
  await fillProject(app, texts);
  return app;
}

/** Loads the page again, as also a browser does that has discarded the tab. */
async function reload(app: App, meanwhile = () => {}) {
  for (const type of ['beforeunload', 'pagehide']) window.dispatchEvent(new Event(type));
  // XState warns that the screen closes after its actor was stopped.
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  app.stop();
  cleanup();
  warn.mockRestore();
  meanwhile();
  const again = await renderApp('/projects');
  await findScreen('/projects');
  return again;
}

const setText = (text: string) => {
  for (const name of textNames) projectField(name).value = text;
};

test.each<[string, (app: App) => unknown, texts?: object]>([
  ['typed', () => {}],
  ['typed in one field', (app) => app.user.clear(projectField('title')), { ...texts, title: '' }],
  ['set by a program, without an event', () => setText('Set'), projectOf(() => 'Set')],
  ['on another screen', (app) => app.go('/login')],
  ['the user signed in in capitals', (app) => acceptAccount(app, 'login', ada.toUpperCase())],
  [
    "another user's sign-in was aborted by a registration",
    async (app) => {
      await submitAccount(app, 'login', bob);
      await acceptAccount(app, 'registerUser', ada);
    },
  ],
])('a text is there after a reload: %s [CHOICE-96]', async (_, change, expected = texts) => {
  const app = await renderFilled(ada);
  await change(app);
  const again = await reload(app);
  expect(formTexts()).toEqual(expected);
  expect(JSON.stringify(Object.entries(localStorage))).not.toContain(texts.title);
  // It is still the text of that user.
  await acceptAccount(again, 'login', bob);
  expect(formTexts()).toEqual(none);
  expect(isKept()).toBe(false);
});

test.each<[string, (app: App) => unknown]>([
  ['the project was created', async (app) => (await submit(app)).answer(201, storedProject())],
  ['another user signed in', (app) => acceptAccount(app, 'login', bob)],
])('no text is there after a reload, and none is kept: %s [CHOICE-96]', async (_, change) => {
  const app = await renderFilled(ada);
  await change(app);
  await waitFor(() => expect(isKept()).toBe(false));
  await reload(app);
  expect(formTexts()).toEqual(none);
});

test.each([
  ['login', bob, none] as const,
  ['registerUser', bob, none] as const,
  ['login', ada, texts] as const,
])('a %s of %s counts if the page is left before [CHOICE-122]', async (name, address, expected) => {
  const app = await renderFilled(ada);
  await submitAccount(app, name, address);
  const again = await reload(app);
  expect(formTexts()).toEqual(expected);
  // It may have failed, so a text that follows may be that of the user before.
  setText('Typed after it');
  await acceptAccount(again, 'login', bob);
  expect(formTexts()).toEqual(none);
});

const changeKept =
  (change: (kept: { user: string; draft: Record<string, unknown> }) => unknown) => () => {
    const kept = JSON.parse(sessionStorage.getItem(itemName)!) as Parameters<typeof change>[0];
    sessionStorage.setItem(itemName, JSON.stringify(change(kept)));
  };

test.each([
  ['another user signed in in another tab', () => signInElsewhere(bob)],
  ['the browser has lost the user', () => localStorage.clear()],
  ...textNames.map((name): [string, () => void] => [
    `it lacks the ${name}`,
    changeKept(({ user, draft }) => ({ user, draft: { ...draft, [name]: undefined } })),
  ]),
  ['it is null', changeKept(() => null)],
])(
  'no text is there after a reload in which this happened: %s [CHOICE-96]',
  async (_, meanwhile) => {
    const app = await renderFilled(ada);
    await reload(app, meanwhile);
    expect(formTexts()).toEqual(none);
    expect(sessionStorage.getItem(itemName) ?? 'null').toBe('null');
  },
);

test('the text of an unknown user is not kept, also if the page has received projects [CHOICE-96]', async () => {
  const app = await renderFilled();
  const again = await reload(app);
  expect(formTexts()).toEqual(none);
  (await again.backend.next('listProjects')).answer(200, [storedProject()]);
  await screen.findByText(storedProject().title);
  await fillProject(again, texts);
  await reload(again);
  expect(formTexts()).toEqual(none);
});

test('a text of the first user of a browser is kept as soon as the user is known [CHOICE-78, CHOICE-96]', async () => {
  const app = await renderFilled();
  signInElsewhere(ada);
  fireEvent.focus(window);
  expect(isKept()).toBe(true);
  await reload(app);
  expect(formTexts()).toEqual(texts);
});

test('a form that the browser has emptied in the back/forward cache has its text again [CHOICE-96]', async () => {
  await renderFilled(ada);
  const fields = textNames.map(projectField);
  window.dispatchEvent(new Event('pagehide'));
  act(() => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));
  // Safari does so in a task of its own.
  for (const field of fields) field.value = '';
  expect(formTexts()).toEqual(texts);
});

test.each(['getItem', 'setItem', 'removeItem'] as const)(
  'the app works as before, and keeps no old text, if the %s of the storage throws [CHOICE-96]',
  async (method) => {
    const app = await renderFilled(ada);
    const kept = sessionStorage;
    vi.stubGlobal('sessionStorage', {
      getItem: (name: string) => kept.getItem(name),
      setItem: (name: string, value: string) => kept.setItem(name, value),
      removeItem: (name: string) => kept.removeItem(name),
      [method]() {
        throw new DOMException('Full or blocked.', 'QuotaExceededError');
      },
    });
    await app.user.type(projectField('title'), '!');
    expect((await submit(app)).body).toEqual({ ...texts, title: `${texts.title}!` });
    vi.unstubAllGlobals();
    expect(isKept()).toBe(method !== 'setItem');
  },
);

test('the texts of the account forms are not kept', async () => {
  const app = await renderFilled(ada);
  await app.go('/login');
  await app.paste(email(), 'carol@example.org');
  await app.paste(password(), credentials.password);
  const stored = JSON.stringify([sessionStorage, localStorage].map(Object.entries));
  expect(stored).not.toContain('carol');
  expect(stored).not.toContain(credentials.password);
});
