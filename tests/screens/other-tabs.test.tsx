/** What a sign-in in another tab changes in this one. */
import { act, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { createSession, storedUser } from '../../src/session.ts';
import { submitAccount } from '../../testing/credentials-screen.tsx';
import {
  createButton,
  fillProject,
  formTexts,
  projectField,
} from '../../testing/projects-screen.tsx';
import { newProject, projectOf, storedProject } from '../../testing/projects.ts';
import { renderApp } from '../../testing/render-app.tsx';

const title = () => projectField('title');

const signInElsewhere = (address: string) => createSession().signIn(address);

/** What the browser does when the user comes back to the tab, or before. */
const returns: Record<string, () => unknown> = {
  'the tab is told': () => window.dispatchEvent(new StorageEvent('storage')),
  'the page comes back from the back/forward cache': () =>
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })),
  'the tab becomes visible': () => document.dispatchEvent(new Event('visibilitychange')),
  'the window gets the focus': () => window.dispatchEvent(new Event('focus')),
};

/** Signs in as Ada, and opens the screen with a row and a text that is not submitted. */
async function renderTab() {
  const app = await renderApp('/');
  (await submitAccount(app, 'login', 'ada@example.org')).answer(200, {});
  (await app.backend.next('listProjects')).answer(200, [storedProject({ title: 'Of Ada' })]);
  await screen.findByText('Of Ada');
  await app.user.type(title(), 'Typed by Ada');
  return app;
}

test.each(Object.keys(returns))(
  "another user's sign-in drops rows and texts, and fetches the list, when %s [CHOICE-101]",
  async (when) => {
    const { backend } = await renderTab();
    signInElsewhere('bob@example.org');
    await act(async () => void returns[when]!());
    expect(screen.queryByText('Of Ada')).toBeNull();
    expect(title().value).toBe('');
    (await backend.next('listProjects')).answer(200, [storedProject({ title: 'Of Bob' })]);
    expect(await screen.findByText('Of Bob')).toBeDefined();
  },
);

test('a submit after the sign-in of another user is not sent, and empties the form [CHOICE-101]', async () => {
  const app = await renderTab();
  const { backend, user } = app;
  await fillProject(app, newProject());
  await user.click(title());
  signInElsewhere('bob@example.org');
  await user.keyboard('{Enter}');
  await waitFor(() => expect(formTexts()).toEqual(projectOf(() => '')));
  expect(backend.count('createProject')).toBe(0);
  const ofBob = newProject({}, 2);
  await fillProject(app, ofBob);
  await user.click(createButton());
  expect((await backend.next('createProject')).body).toEqual(ofBob);
});

test('a tab stores the user again whom another app of the origin has removed [CHOICE-101]', async () => {
  await renderTab();
  const stored = storedUser();
  localStorage.clear();
  window.dispatchEvent(new StorageEvent('storage'));
  expect(storedUser()).toBe(stored);
  signInElsewhere('bob@example.org');
  await act(async () => void returns['the tab is told']!());
  expect(title().value).toBe('');
});

test('no email is stored, and each browser has another key for it', () => {
  signInElsewhere('ada@example.org');
  const first = storedUser();
  expect(JSON.stringify(Object.entries(localStorage))).not.toMatch(/ada|example/);
  signInElsewhere('ada@example.org');
  expect(storedUser()).toBe(first);
  localStorage.clear();
  signInElsewhere('ada@example.org');
  expect(storedUser()).not.toBe(first);
});

test('a tab works alone in a browser that blocks the storage', () => {
  const blocked = vi.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
    throw new DOMException('Blocked.', 'SecurityError');
  });
  const full = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('Full.', 'QuotaExceededError');
  });
  const session = createSession();
  const users = ['ada@example.org', 'bob@example.org', 'Ada@example.org'].map((address) => {
    session.signIn(address);
    return session.user();
  });
  expect(users).toEqual([users[0], expect.any(String), users[0]]);
  expect(users[1]).not.toBe(users[0]);
  blocked.mockRestore();
  full.mockRestore();
});
