/** Which submits of a project have the same Idempotency-Key. */
import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { PendingRequest } from '../../../model/controlled-backend.ts';
import { email, password } from '../../support/credentials-screen.tsx';
import { renderApp } from '../../support/render-app.tsx';

const office = ['Move to the new office', 'Boxes.'] as const;
const website = ['Website relaunch', 'Boxes.'] as const;
const created = { id: 'p1', title: office[0], description: office[1] };

type End = (request: PendingRequest) => void;

/** Renders the app on `/projects`. */
async function renderProjects() {
  const app = await renderApp('/projects');
  const { backend, user, go } = app;
  const button = await screen.findByRole('button', { name: 'Create Project' });
  return {
    ...app,
    /** Submits a project and ends its call. Returns the number of the key, in order of use. */
    submit: async ([title, description]: readonly [string, string], end: End) => {
      for (const [label, text] of Object.entries({ Title: title, Description: description })) {
        await user.clear(screen.getByLabelText(label));
        await user.type(screen.getByLabelText(label), text);
      }
      await user.click(screen.getByRole('button', { name: 'Create Project' }));
      end(await backend.next('createProject'));
      await waitFor(() => expect(button.getAttribute('aria-busy')).toBe('false'));
      const keys = backend.requests.flatMap(({ headers }) => headers.get('idempotency-key') ?? []);
      return [...new Set(keys)].indexOf(keys.at(-1)!);
    },
    signIn: async (address: string) => {
      await go('/login');
      await user.type(email(), address);
      await user.type(password(), 'correct horse');
      await user.click(screen.getByRole('button', { name: 'Sign in' }));
      (await backend.next('login')).answer(200, {});
      await screen.findByRole('heading', { name: 'New Project' });
    },
  };
}

const unavailable: End = (request) => request.answer(503, { message: 'Try again.' });

test.each<[string, End]>([
  ['a 503', unavailable],
  ['a lost connection', (request) => request.drop()],
  ['a 401', (request) => request.answer(401, { message: 'Please sign in.' })],
  ['a 201 that is no project', (request) => request.answerText(201, '<!doctype html>')],
])(
  'the same texts have the same key after %s, and a new one once created [CHOICE-89, CHOICE-90]',
  async (_, end) => {
    const { submit } = await renderProjects();
    expect(await submit(office, end)).toBe(0);
    expect(await submit(office, end)).toBe(0);
    expect(await submit(office, (request) => request.answer(201, created))).toBe(0);
    expect(await submit(office, end)).toBe(1);
  },
);

test('the same texts have a new key after a 422 [CHOICE-90]', async () => {
  const { submit } = await renderProjects();
  expect(await submit(office, unavailable)).toBe(0);
  expect(await submit(office, (request) => request.answer(422, { message: 'No.' }))).toBe(0);
  expect(await submit(office, unavailable)).toBe(1);
});

test('another title has a new key, and the first title its own again [CHOICE-89, CHOICE-90]', async () => {
  const { submit } = await renderProjects();
  expect(await submit(office, unavailable)).toBe(0);
  expect(await submit(website, unavailable)).toBe(1);
  expect(await submit(office, unavailable)).toBe(0);
});

test('the same user has the same key after signing in again, and another user a new one [CHOICE-89, CHOICE-91]', async () => {
  const { submit, signIn } = await renderProjects();
  await signIn('ada@example.org');
  expect(await submit(office, unavailable)).toBe(0);
  await signIn('Ada@example.org');
  expect(await submit(office, unavailable)).toBe(0);
  await signIn('bob@example.org');
  expect(await submit(office, unavailable)).toBe(1);
});
