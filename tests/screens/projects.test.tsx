import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CREATE, LIST } from '../../model/controlled-backend.ts';
import { renderApp } from '../support/render-app.tsx';

const title = () => screen.getByLabelText<HTMLInputElement>('Title');
const description = () => screen.getByLabelText<HTMLTextAreaElement>('Description');
const button = () => screen.getByRole('button', { name: 'Create Project' });
const banner = () => screen.queryByRole('alert')?.textContent;
const list = () => screen.getByRole('region', { name: 'List of Projects' });
const titles = () =>
  within(list())
    .queryAllByRole('heading', { level: 3 })
    .map(({ textContent }) => textContent);

const relaunch = { id: 'p1', title: 'Website relaunch', description: 'New pages.' };
const office = { id: 'p2', title: 'Move to the new office', description: 'Boxes.' };

// React says it once, in whichever test comes first, when rows have no keys or share one.
beforeEach(() => void vi.spyOn(console, 'error'));
afterEach(() => {
  const complaints = vi.mocked(console.error).mock.calls;
  vi.restoreAllMocks();
  if (complaints.length > 0) throw new Error(`React complains: ${complaints.join('\n')}`);
});

async function projectsScreen() {
  const app = await renderApp('/projects');
  await screen.findByRole('heading', { name: 'New Project' });
  return {
    ...app,
    show: async (rows: unknown) => {
      (await app.backend.next(LIST)).answer(200, rows);
      await waitFor(() => expect(list().getAttribute('aria-busy')).toBe('false'));
    },
    create: async (project = { title: office.title, description: office.description }) => {
      await app.user.clear(title());
      await app.user.type(title(), project.title);
      await app.user.clear(description());
      await app.user.type(description(), project.description);
      await app.user.click(button());
      return app.backend.next(CREATE);
    },
  };
}

test('[PROJECTS-1, PROJECTS-2, PROJECTS-3, PROJECTS-4, PROJECTS-6] the screen has its form, and the list below it', async () => {
  await projectsScreen();
  expect(title().placeholder).toBe('Website development project');
  expect(description().rows).toBe(4);
  expect(within(list()).getByRole('heading', { level: 2 }).textContent).toBe('List of Projects');
  expect(button().getAttribute('type')).toBe('submit');
  expect(button().compareDocumentPosition(list())).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  expect(banner()).toBeUndefined();
  expect(screen.getByRole('status').textContent).toBe('');
});

test('what is typed runs in the direction that it is written in, and no browser offers titles of before', async () => {
  await projectsScreen();
  expect([title().dir, description().dir]).toEqual(['auto', 'auto']);
  expect(title().autocomplete).toBe('off');
});

test('that a list has arrived is said with how many projects it has, from outside of what is busy', async () => {
  const { show, go } = await projectsScreen();
  const said = () => list().nextElementSibling;
  expect(said()?.getAttribute('aria-live')).toBe('polite');
  expect(said()?.textContent).toBe('');
  await show([relaunch, office]);
  expect(said()?.textContent).toBe('2 projects.');
  await go('/about');
  await go('/projects');
  expect(said()?.textContent).toBe('');
  await show([relaunch]);
  expect(said()?.textContent).toBe('1 project.');
  await go('/about');
  await go('/projects');
  await show([]);
  expect(said()?.textContent).toBe('');
  expect(list().querySelector('p[aria-live="polite"]')?.textContent).toBe('No projects to show.');
});

test('[PROJECTS-6, PROJECTS-7, LIST-3, CALL-8] the list is fetched when the screen opens, and shows titles and descriptions', async () => {
  const { show, backend } = await projectsScreen();
  expect(backend.count(LIST)).toBe(1);
  await show([relaunch, office]);
  expect(titles()).toEqual([relaunch.title, office.title]);
  expect(within(list()).getByText(office.description)).toBeDefined();
});

test('[LIST-1, LIST-2] while the list is on its way the screen says so', async () => {
  const { show } = await projectsScreen();
  expect(list().getAttribute('aria-busy')).toBe('true');
  expect(screen.getByText('Loading projects…')).toBeDefined();
  await show([relaunch]);
  expect(list().getAttribute('aria-busy')).toBe('false');
  expect(screen.queryByText('Loading projects…')).toBeNull();
});

test('the rows are a list for everybody: without markers, Safari takes a list for none unless it says so', async () => {
  const { show } = await projectsScreen();
  await show([relaunch, office]);
  expect(within(list()).getByRole('list').getAttribute('role')).toBe('list');
  expect(within(within(list()).getByRole('list')).getAllByRole('listitem')).toHaveLength(2);
});

test('[CHOICE-29] an empty list says so', async () => {
  const { show } = await projectsScreen();
  await show([]);
  expect(within(list()).getByText('No projects to show.')).toBeDefined();
});

test.each([
  ['a refusal', 500, { message: 'Down for repair.' }],
  ['no list', 200, { projects: [relaunch] }],
])(
  '[LIST-4, LIST-5, ERROR-8, CHOICE-19, CHOICE-29] %s empties the list, is logged, and shows no error',
  async (_, status, body) => {
    const { show, go, backend, logged } = await projectsScreen();
    await show([relaunch]);
    await go('/');
    await go('/projects');
    await waitFor(() => expect(titles()).toEqual([relaunch.title]));
    (await backend.next(LIST)).answer(status, body);
    await screen.findByText('No projects to show.');
    expect(logged).toEqual([{ what: 'listProjects', reason: expect.anything() }]);
    expect(screen.queryByText(/Down for repair/)).toBeNull();
    expect(banner()).toBeUndefined();
  },
);

test('[CHOICE-30] coming back fetches again and shows the kept rows meanwhile', async () => {
  const { show, go, backend } = await projectsScreen();
  await show([relaunch]);
  await go('/about');
  await go('/projects');
  await waitFor(() => expect(titles()).toEqual([relaunch.title]));
  expect(list().getAttribute('aria-busy')).toBe('true');
  (await backend.next(LIST)).answer(200, [relaunch, office]);
  await waitFor(() => expect(titles()).toEqual([relaunch.title, office.title]));
});

test('[CONST-6, CONST-8] coming back after more than a minute shows no rows until the answer is there', async () => {
  const { show, go, clock } = await projectsScreen();
  await show([relaunch]);
  await go('/about');
  clock.increment(500);
  clock.increment(60_000);
  await go('/projects');
  await screen.findByText('Loading projects…');
  expect(titles()).toEqual([]);
});

test('[CONST-7, CHOICE-35] neither focus, network nor time fetches the list again', async () => {
  const { show, clock, backend } = await projectsScreen();
  await show([relaunch]);
  act(() => {
    for (const name of ['blur', 'focus', 'offline', 'online', 'pageshow']) {
      window.dispatchEvent(new Event(name));
    }
    document.dispatchEvent(new Event('visibilitychange'));
    clock.increment(3_600_000);
  });
  expect(backend.count(LIST)).toBe(1);
});

test('[CALL-9, CREATE-2, CREATE-3, CHOICE-34, APP-2] a created project is appended as the answer has it, once the answer is there', async () => {
  const { show, create, backend } = await projectsScreen();
  await show([relaunch]);
  const call = await create();
  expect(call.body).toEqual({ title: office.title, description: office.description });
  expect(titles()).toEqual([relaunch.title]);
  call.answer(201, { ...office, title: 'Move (as kept)' });
  await waitFor(() => expect(titles()).toEqual([relaunch.title, 'Move (as kept)']));
  expect(banner()).toBeUndefined();
  expect(backend.count(LIST)).toBe(1);
});

test('[CHOICE-27] after a project was created the form is empty, Title has the focus, and it is announced', async () => {
  const { show, create } = await projectsScreen();
  await show([]);
  (await create()).answer(201, office);
  await waitFor(() =>
    expect(screen.getByRole('status').textContent).toBe('The project was created.'),
  );
  expect([title().value, description().value]).toEqual(['', '']);
  expect(document.activeElement).toBe(title());
  expect(screen.queryByText('Title is required')).toBeNull();
});

test('[CHOICE-27] a second project is announced anew: screen readers keep silent about a text that stays the same', async () => {
  const { show, create } = await projectsScreen();
  await show([]);
  const said = () => screen.getByRole('status').textContent;
  const all = [];
  for (const id of ['p1', 'p2', 'p3']) {
    (await create()).answer(201, { ...office, id });
    await waitFor(() => expect(title().value).toBe(''));
    all.push(said());
  }
  expect(all.map((text) => text?.trim())).toEqual(all.map(() => 'The project was created.'));
  expect([all[0] === all[1], all[1] === all[2]]).toEqual([false, false]);
});

test('[FIELD-1, CHOICE-50] the field that the app itself put the focus in was touched by nobody', async () => {
  const { show, create, user } = await projectsScreen();
  await show([]);
  (await create()).answer(201, office);
  await waitFor(() => expect(document.activeElement).toBe(title()));
  await user.click(list());
  expect(title().getAttribute('aria-invalid')).toBe('false');
  await user.click(title());
  await user.tab();
  await screen.findByText('Title is required');
  (await create()).answer(201, { ...office, id: 'p3' });
  await waitFor(() => expect(title().value).toBe(''));
  await user.type(title(), 'x{Backspace}');
  await user.tab();
  expect(await screen.findByText('Title is required')).toBeDefined();
});

test('[ERROR-5, PROJECTS-5, CREATE-4, CHOICE-28] a refused creation shows its message and keeps every character', async () => {
  const { show, create } = await projectsScreen();
  await show([relaunch]);
  (await create()).answer(422, { message: 'Title must be at most 3 characters.' });
  await waitFor(() => expect(banner()).toBe('Title must be at most 3 characters.'));
  expect([title().value, description().value]).toEqual([office.title, office.description]);
  expect(titles()).toEqual([relaunch.title]);
});

test('[ERROR-6] a refused creation without a message shows "Internal Server Error"', async () => {
  const { show, create } = await projectsScreen();
  await show([]);
  (await create()).answer(503);
  await waitFor(() => expect(banner()).toBe('Internal Server Error'));
});

test('[ERROR-7, CHOICE-18] an answer that is no project shows no message, wipes the old one, and keeps every character', async () => {
  const { show, create, logged } = await projectsScreen();
  await show([relaunch]);
  (await create()).answer(500, { message: 'Broken.' });
  await waitFor(() => expect(banner()).toBe('Broken.'));
  (await create()).answer(201, { created: true });
  await waitFor(() => expect(logged.map(({ what }) => what)).toEqual(['createProject']));
  expect(banner()).toBeUndefined();
  expect(titles()).toEqual([relaunch.title]);
  expect([title().value, description().value]).toEqual([office.title, office.description]);
});

test('[CREATE-1, CHOICE-2] the error goes the moment creating starts again', async () => {
  const { show, create } = await projectsScreen();
  await show([]);
  (await create()).answer(500);
  await waitFor(() => expect(banner()).toBe('Internal Server Error'));
  await create();
  await waitFor(() => expect(banner()).toBeUndefined());
  expect(button().getAttribute('aria-busy')).toBe('true');
});

test('[CHOICE-7] while a project is being created nothing is sent a second time', async () => {
  const { show, create, user, backend } = await projectsScreen();
  await show([]);
  await create();
  await user.dblClick(button());
  await user.type(title(), '{Enter}');
  expect(backend.count(CREATE)).toBe(1);
});

test('[CHOICE-31] a project created before the list is there stays in view', async () => {
  const { create, backend } = await projectsScreen();
  const stale = await backend.next(LIST);
  (await create()).answer(201, office);
  await waitFor(() => expect(titles()).toEqual([office.title]));
  stale.answer(200, [relaunch]);
  (await backend.next(LIST)).answer(200, [relaunch, office]);
  await waitFor(() => expect(titles()).toEqual([relaunch.title, office.title]));
});

test('[CHOICE-32] a project whose id is already in the list is shown once', async () => {
  const { show, create } = await projectsScreen();
  await show([relaunch, office]);
  (await create()).answer(201, relaunch);
  await waitFor(() => expect(titles()).toEqual([office.title, relaunch.title]));
});

test('a list that uses an id twice is shown whole', async () => {
  const { show } = await projectsScreen();
  await show([relaunch, { ...office, id: relaunch.id }]);
  expect(titles()).toEqual([relaunch.title, office.title]);
});

test('[CHOICE-48] leaving while creating is pending loses nothing: the form comes back as it was submitted, then is emptied by success', async () => {
  const { show, create, go, backend } = await projectsScreen();
  await show([]);
  const call = await create();
  await go('/about');
  await go('/projects');
  await waitFor(() => expect(title().value).toBe(office.title));
  expect(description().value).toBe(office.description);
  expect(button().getAttribute('aria-busy')).toBe('true');
  call.answer(201, office);
  await waitFor(() => expect(title().value).toBe(''));
  (await backend.next(LIST)).answer(200, []);
  (await backend.next(LIST)).answer(200, [office]);
  await waitFor(() => expect(titles()).toEqual([office.title]));
});

test('[CHOICE-48] leaving while creating is pending loses nothing: a refusal that comes meanwhile waits with what was submitted', async () => {
  const { show, create, go } = await projectsScreen();
  await show([]);
  const call = await create();
  await go('/about');
  call.answer(422, { message: 'No.' });
  await go('/projects');
  await waitFor(() => expect(banner()).toBe('No.'));
  expect(title().value).toBe(office.title);
});

test('[CHOICE-49] what is typed while creating is pending is not wiped by its success', async () => {
  const { show, create, user } = await projectsScreen();
  await show([]);
  const call = await create();
  await user.type(title(), ', next year');
  call.answer(201, office);
  await waitFor(() => expect(titles()).toEqual([office.title]));
  expect(title().value).toBe(`${office.title}, next year`);
});

test.each([
  ['HTML', '<img src=x onerror="document.title=1"><script>document.title=1</script>&amp;'],
  ['emoji', '👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301'],
  ['right-to-left text', 'مشروع جديد \u202Eabc'],
  ['ten thousand characters', 'x'.repeat(10_000)],
  ['line breaks', 'first\n\n  third\ttab'],
])('[PROJECTS-6] %s is shown whole, and as text', async (_, text) => {
  const { show } = await projectsScreen();
  await show([{ id: 1, title: text, description: text }]);
  const row = within(list()).getByRole('listitem');
  expect([...row.children].map(({ textContent }) => textContent)).toEqual([text, text]);
  expect(row.querySelectorAll('img, script')).toHaveLength(0);
  expect([...row.children].map((part) => part.getAttribute('dir'))).toEqual(['auto', 'auto']);
});

test('[CHOICE-41, CHOICE-43] an anonymous visitor sees what the backend answers: an empty list, and why creating failed', async () => {
  const { create, backend } = await projectsScreen();
  (await backend.next(LIST)).answer(401, { message: 'Please sign in to work with projects.' });
  await screen.findByText('No projects to show.');
  expect(banner()).toBeUndefined();
  (await create()).answer(401, { message: 'Please sign in to work with projects.' });
  await waitFor(() => expect(banner()).toBe('Please sign in to work with projects.'));
});
