import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { forms } from '../../shared/forms.ts';
import { fieldMessages } from '../../shared/field-rules.ts';
import { screens } from '../../shared/routes.ts';
import { DelayedAnnouncement } from '../../src/ui/announcement.tsx';
import {
  createButton as button,
  fillProject,
  formTexts,
  projectField,
} from '../../testing/projects-screen.tsx';
import { listOf, newProject, projectOf, storedProject, textNames } from '../../testing/projects.ts';
import { findScreen, renderApp } from '../../testing/render-app.tsx';

const title = () => projectField('title');
const titleRequired = fieldMessages.required(forms.createProject.fields.title);
const banner = () => screen.queryByRole('alert')?.textContent;
const list = () => screen.getByRole('region', { name: 'List of Projects' });
const titles = () =>
  within(list())
    .queryAllByRole('heading', { level: 3 })
    .map(({ textContent }) => textContent);
const rowText = (name: string) => list().querySelector(`[data-field=${name}]`);
const rowDirection = (name: string) => rowText(name)?.closest('[dir]')?.getAttribute('dir');

const relaunch = storedProject({}, 1);
const texts = newProject({}, 2);
const office = storedProject(texts, 2);

// React warns once, in the first test that renders rows without keys or with duplicate keys.
beforeEach(() => void vi.spyOn(console, 'error'));
afterEach(() => {
  const warnings = vi.mocked(console.error).mock.calls;
  vi.restoreAllMocks();
  if (warnings.length > 0) throw new Error(`React warns: ${warnings.join('\n')}`);
});

/** Renders the screen. With `rows`, also answers the request of the list. */
async function renderProjects(rows?: unknown) {
  const app = await renderApp('/projects');
  await findScreen('/projects');
  const load = async (body: unknown) => {
    (await app.backend.next('listProjects')).answer(200, body);
    await waitFor(() => expect(list().getAttribute('aria-busy')).toBe('false'));
  };
  if (rows) await load(rows);
  return {
    ...app,
    load,
    /** Submits the form and returns the request. */
    create: async () => {
      await fillProject(app, texts);
      await app.user.click(button());
      return app.backend.next('createProject');
    },
  };
}

test('the screen has its form above the list [PROJECTS-6]', async () => {
  await renderProjects();
  expect(within(list()).getByRole('heading', { level: 2 }).textContent).toBe('List of Projects');
  expect(button().getAttribute('type')).toBe('submit');
  expect(button().compareDocumentPosition(list())).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  expect(banner()).toBeUndefined();
  expect(screen.getByRole('status').textContent).toBe('');
});

test('fields take the direction of their text, and the browser neither suggests nor restores a text [CHOICE-96]', async () => {
  await renderProjects();
  for (const name of textNames) expect(projectField(name).dir).toBe('auto');
  expect([title().autocomplete, title().form?.autocomplete]).toEqual(['off', 'off']);
});

test.each([
  ['of Latin letters', '1. Project', 'ltr'],
  ['of Hebrew letters', '2026: \u05E9\u05DC\u05D5\u05DD', 'rtl'],
  ['of Arabic letters', '\u0663 \u0645\u0634\u0631\u0648\u0639', 'rtl'],
  ['of Adlam letters', '(\u{1E900})', 'rtl'],
  ['after a mark', '\u200FProject', 'rtl'],
  ['without letters', '1234', 'ltr'],
])(
  'a text of more than 10,000 characters has the direction of its first letter, in the form and in the list: %s [CHOICE-111]',
  async (_, start, direction) => {
    const text = start.padEnd(10_001, ' .');
    await renderProjects([storedProject(projectOf(() => text))]);
    for (const name of textNames) {
      expect(rowDirection(name)).toBe(direction);
      const field = projectField(name);
      expect(field.dir).toBe('auto');
      fireEvent.paste(field, { clipboardData: { getData: () => text } });
      expect(field.dir).toBe(direction);
      for (const [value, dir] of [
        [text.slice(0, 10_000), 'auto'],
        [text, direction],
      ] as const) {
        fireEvent.input(field, { target: { value } });
        expect(field.dir).toBe(dir);
      }
    }
  },
);

test('the length of a list is announced outside the busy section when it has loaded [CHOICE-29, CHOICE-58, LIST-2]', async () => {
  // The app waits for timers of its own, too.
  vi.useFakeTimers({ shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const { load, go, backend } = await renderProjects();
  const liveRegion = () => list().nextElementSibling;
  const announced = async (text: string) => {
    await act(() => vi.advanceTimersByTimeAsync(500));
    expect(liveRegion()?.textContent).toBe(text);
  };
  expect(liveRegion()?.getAttribute('aria-live')).toBe('polite');
  // Browsers announce changes only.
  expect(liveRegion()?.textContent).toBe('');
  await announced('Loading projects.');
  await load([relaunch, office]);
  await announced('2 projects.');
  await go('/about');
  await go('/projects');
  expect(liveRegion()?.textContent).toBe('');
  await load([relaunch]);
  await announced('1 project.');
  await go('/about');
  await go('/projects');
  await load([]);
  await announced('No projects.');
  expect(within(list()).getByText('No projects to show.')).toBeDefined();
  await go('/about');
  await go('/projects');
  await announced('Loading projects.');
  (await backend.next('listProjects')).answer(500);
  await waitFor(() => expect(liveRegion()?.textContent).not.toBe('Loading projects.'));
  expect(liveRegion()?.textContent).toBe('');
});

test('the place of the reader is stored when the browser leaves the page [CHOICE-110]', async () => {
  await renderProjects([relaunch]);
  dispatchEvent(new Event('pagehide'));
  expect(Object.keys(sessionStorage).join()).toContain('place:');
});

test('the list loads when the screen opens, is busy until then, and shows all texts [PROJECTS-6, PROJECTS-7, LIST-1, LIST-2, LIST-3, CALL-8]', async () => {
  const { load, backend } = await renderProjects();
  expect(backend.count('listProjects')).toBe(1);
  expect(list().getAttribute('aria-busy')).toBe('true');
  expect(screen.getByText('Loading projects…')).toBeDefined();
  await load([relaunch, office]);
  expect(list().getAttribute('aria-busy')).toBe('false');
  expect(screen.queryByText('Loading projects…')).toBeNull();
  expect(titles()).toEqual([relaunch.title, office.title]);
  for (const text of Object.values(texts)) within(list()).getByText(text);
});

test('the rows have an explicit list role, because Safari drops it from lists without markers', async () => {
  await renderProjects([relaunch, office]);
  expect(within(list()).getByRole('list').getAttribute('role')).toBe('list');
  expect(within(within(list()).getByRole('list')).getAllByRole('listitem')).toHaveLength(2);
});

test.each([
  ['a refusal [CHOICE-41, CHOICE-43]', 401, { message: 'Please sign in.' }],
  ['a malformed list', 200, { projects: [relaunch] }],
])(
  '%s empties the list, is logged, and shows no error [LIST-4, LIST-5, ERROR-8, CHOICE-19, CHOICE-29]',
  async (_, status, body) => {
    const { go, backend, logged } = await renderProjects([relaunch]);
    await go('/');
    await go('/projects');
    await waitFor(() => expect(titles()).toEqual([relaunch.title]));
    (await backend.next('listProjects')).answer(status, body);
    await waitFor(() => expect(list().getAttribute('aria-busy')).toBe('false'));
    expect(titles()).toEqual([]);
    expect(list().textContent).toBe('List of Projects');
    expect(logged).toEqual([{ operationId: 'listProjects', error: expect.anything() }]);
    expect(screen.queryByText(/Please sign in/)).toBeNull();
    expect(banner()).toBeUndefined();
  },
);

test('the cached rows expire a minute after leaving [CONST-6, CONST-8]', async () => {
  const { go, clock } = await renderProjects([relaunch]);
  await go('/about');
  clock.elapse(500);
  clock.elapse(60_000);
  await go('/projects');
  await screen.findByText('Loading projects…');
  expect(titles()).toEqual([]);
});

test('focus, reconnection and time do not reload the list [CONST-7, CHOICE-35]', async () => {
  const { clock, backend } = await renderProjects([relaunch]);
  act(() => {
    for (const name of ['blur', 'focus', 'offline', 'online', 'pageshow']) {
      window.dispatchEvent(new Event(name));
    }
    document.dispatchEvent(new Event('visibilitychange'));
    clock.elapse(24 * 3_600_000);
  });
  expect(list().getAttribute('aria-busy')).toBe('false');
  expect(backend.count('listProjects')).toBe(1);
});

test('a created project is appended when its response arrives, as the response has it [CALL-9, CREATE-2, CREATE-3, CHOICE-34, APP-2]', async () => {
  const { create, backend } = await renderProjects([relaunch]);
  const call = await create();
  expect(call.body).toEqual(texts);
  expect(titles()).toEqual([relaunch.title]);
  call.answer(201, { ...office, title: 'Move (as kept)' });
  await waitFor(() => expect(titles()).toEqual([relaunch.title, 'Move (as kept)']));
  expect(banner()).toBeUndefined();
  expect(backend.count('listProjects')).toBe(1);
});

test('an announcement that changes within half a second is never made', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { container, rerender } = render(<DelayedAnnouncement>Loading.</DelayedAnnouncement>);
  act(() => void vi.advanceTimersByTime(499));
  rerender(<DelayedAnnouncement>Loaded.</DelayedAnnouncement>);
  act(() => void vi.advanceTimersByTime(499));
  expect(container.textContent).toBe('');
  act(() => void vi.advanceTimersByTime(1));
  expect(container.textContent).toBe('Loaded.');
  act(() => void vi.advanceTimersByTime(5_000));
  expect(container.textContent).toBe('');
});

test('each created project empties the form, focuses Title, and is announced [CHOICE-27]', async () => {
  const { create } = await renderProjects([]);
  const announcements = [];
  for (const id of ['p1', 'p2', 'p3']) {
    (await create()).answer(201, { ...office, id });
    await waitFor(() => expect(formTexts()).toEqual(projectOf(() => '')));
    expect(document.activeElement).toBe(title());
    expect(screen.queryByText(titleRequired)).toBeNull();
    announcements.push(screen.getByRole('status').textContent);
  }
  const text = 'The project was created.';
  expect(announcements.map((announcement) => announcement.trim())).toEqual([text, text, text]);
  // Screen readers skip an unchanged text.
  const [firstText, secondText, thirdText] = announcements;
  expect(secondText).not.toBe(firstText);
  expect(thirdText).not.toBe(secondText);
});

test.each([
  ['above the window', -1, true],
  ['in view', 0, false],
])(
  'after a creation, Title gets the focus of a form %s [CHOICE-27]',
  async (_where, bottom, preventScroll) => {
    const { create } = await renderProjects([]);
    vi.spyOn(title().form!, 'getBoundingClientRect').mockReturnValue({ bottom } as DOMRect);
    const focus = vi.spyOn(title(), 'focus');
    (await create()).answer(201, office);
    await waitFor(() => expect(focus.mock.lastCall).toEqual([{ preventScroll }]));
  },
);

test.each([
  [4, 0],
  [5, 1],
])(
  'in a list of %i, a creation adds %i buttons that show its project [CHOICE-59]',
  async (count, shown) => {
    const { create, go } = await renderProjects(listOf(count));
    (await create()).answer(201, { ...office, id: 'new' });
    await waitFor(() => expect(titles()).toHaveLength(count + 1));
    const buttons = () => screen.queryAllByRole('button', { name: 'Show the new project' });
    expect(buttons()).toHaveLength(shown);
    await go('/login');
    await go('/projects');
    expect(titles()).toHaveLength(count + 1);
    expect(buttons()).toEqual([]);
    expect(screen.getByRole('status').textContent).toBe('');
  },
);

test('a created project focuses Title in Safari, where a click focuses no button [CHOICE-27]', async () => {
  const { create } = await renderProjects([]);
  const call = await create();
  act(() => button().blur());
  expect(document.activeElement).toBe(document.body);
  call.answer(201, office);
  await waitFor(() => expect(document.activeElement).toBe(title()));
});

test('an answer takes the focus from nothing that the user has focused since [CHOICE-27]', async () => {
  const { create, go, user } = await renderProjects([]);
  const note = document.body.appendChild(document.createElement('input'));
  onTestFinished(() => note.remove());
  const call = await create();
  await user.click(note);
  call.answer(201, office);
  await waitFor(() => expect(title().value).toBe(''));
  expect(document.activeElement).toBe(note);
  await go('/login');
  await findScreen('/login');
  expect(document.activeElement).toBe(note);
});

test('a field that the app focused shows no error until the user touches it [FIELD-1, CHOICE-50]', async () => {
  const { create, user } = await renderProjects([]);
  (await create()).answer(201, office);
  await waitFor(() => expect(document.activeElement).toBe(title()));
  await user.click(list());
  expect(title().getAttribute('aria-invalid')).toBe('false');
  await user.click(title());
  await user.tab();
  await screen.findByText(titleRequired);
  (await create()).answer(201, { ...office, id: 'p3' });
  await waitFor(() => expect(title().value).toBe(''));
  await user.type(title(), 'x{Backspace}');
  await user.tab();
  await waitFor(() => expect(title().getAttribute('aria-invalid')).toBe('true'));
});

test.each(textNames.filter((name) => name !== 'title'))(
  'the field %s, which loses the focus because its project was created, shows no error [FIELD-1, CHOICE-50]',
  async (name) => {
    const { create, user } = await renderProjects([]);
    const request = await create();
    projectField(name).focus();
    request.answer(201, office);
    await waitFor(() => expect(document.activeElement).toBe(title()));
    await user.type(title(), 'x{Backspace}');
    await user.tab();
    await screen.findByText(titleRequired);
    expect(projectField(name).getAttribute('aria-invalid')).toBe('false');
  },
);

test.each([
  [
    'its message [ERROR-5, PROJECTS-5, CREATE-4, CHOICE-28, CHOICE-41]',
    401,
    { message: 'No.' },
    'No.',
  ],
  ['"Internal Server Error" without a message [ERROR-6]', 503, undefined, 'Internal Server Error'],
])('a refused creation shows %s, and keeps the form', async (_, status, body, message) => {
  const { create } = await renderProjects([relaunch]);
  (await create()).answer(status, body);
  await waitFor(() => expect(banner()).toBe(message));
  expect(formTexts()).toEqual(texts);
  expect(titles()).toEqual([relaunch.title]);
});

test('a malformed response shows no message, clears the old one, and keeps the form [ERROR-7, CHOICE-18]', async () => {
  const { create, logged } = await renderProjects([relaunch]);
  (await create()).answer(500, { message: 'Broken.' });
  await waitFor(() => expect(banner()).toBe('Broken.'));
  (await create()).answer(201, { created: true });
  await waitFor(() =>
    expect(logged.map(({ operationId }) => operationId)).toEqual(['createProject']),
  );
  expect(banner()).toBeUndefined();
  expect(titles()).toEqual([relaunch.title]);
  expect(formTexts()).toEqual(texts);
});

test('the error is cleared as soon as a retry starts [CREATE-1, CHOICE-2]', async () => {
  const { create } = await renderProjects([]);
  (await create()).answer(500);
  await waitFor(() => expect(banner()).toBe('Internal Server Error'));
  await create();
  await waitFor(() => expect(banner()).toBeUndefined());
  expect(button().getAttribute('aria-busy')).toBe('true');
});

test('a project created while the list loads stays in view [CHOICE-31]', async () => {
  const { create, backend } = await renderProjects();
  const stale = await backend.next('listProjects');
  (await create()).answer(201, office);
  await waitFor(() => expect(titles()).toEqual([office.title]));
  stale.answer(200, [relaunch]);
  (await backend.next('listProjects')).answer(200, [relaunch, office]);
  await waitFor(() => expect(titles()).toEqual([relaunch.title, office.title]));
});

test('a project whose id is already in the list is shown once [CHOICE-32]', async () => {
  const { create } = await renderProjects([relaunch, office]);
  (await create()).answer(201, relaunch);
  await waitFor(() => expect(titles()).toEqual([office.title, relaunch.title]));
});

test('a list that uses an id twice is shown whole', async () => {
  await renderProjects([relaunch, { ...office, id: relaunch.id }]);
  expect(titles()).toEqual([relaunch.title, office.title]);
});

test('half a date typed during a creation survives its success [CHOICE-49, CHOICE-113]', async () => {
  const { create } = await renderProjects([]);
  const call = await create();
  const optional = Object.assign(document.createElement('input'), { name: 'dueDate' });
  vi.spyOn(optional, 'validity', 'get').mockReturnValue({ badInput: true } as ValidityState);
  title().form!.append(optional);
  call.answer(201, relaunch);
  await waitFor(() => expect(titles()).toEqual([relaunch.title]));
  expect(title().value).toBe(office.title);
});

test.each([
  ['stays, because both were rounded', office, [relaunch.title, office.title]],
  ['is the same with the same text', relaunch, [relaunch.title]],
])(
  'a row whose id is the number of a created project above 2^53 %s [CHOICE-32]',
  async (_, created, expected) => {
    const id = 2 ** 53;
    const { create } = await renderProjects([{ ...relaunch, id }]);
    (await create()).answer(201, { ...created, id });
    await waitFor(() => expect(button().getAttribute('aria-busy')).toBe('false'));
    expect(titles()).toEqual(expected);
  },
);

test('a pending creation refills the form on return, and empties it on success [CHOICE-48]', async () => {
  const { create, go, backend } = await renderProjects([]);
  const call = await create();
  await go('/about');
  await go('/projects');
  await waitFor(() => expect(formTexts()).toEqual(texts));
  expect(button().getAttribute('aria-busy')).toBe('true');
  call.answer(201, office);
  await waitFor(() => expect(title().value).toBe(''));
  (await backend.next('listProjects')).answer(200, []);
  (await backend.next('listProjects')).answer(200, [office]);
  await waitFor(() => expect(titles()).toEqual([office.title]));
});

test('a text that was typed and not submitted stays while the user visits another screen [CHOICE-95]', async () => {
  const { user, go, create } = await renderProjects([]);
  const name = textNames.at(-1)!;
  await user.type(projectField(name), texts[name]);
  await go('/about');
  await go('/projects');
  expect(formTexts()).toEqual({ ...projectOf(() => ''), [name]: texts[name] });
  expect(title().getAttribute('aria-invalid')).toBe('false');
  (await create()).answer(201, office);
  await waitFor(() => expect(title().value).toBe(''));
  await go('/about');
  await go('/projects');
  expect(formTexts()).toEqual(projectOf(() => ''));
});

test.each(textNames)(
  'a %s typed during a creation survives its success [CHOICE-49]',
  async (name) => {
    const { create, user } = await renderProjects([]);
    const call = await create();
    await user.type(projectField(name), ', next year');
    call.answer(201, office);
    await waitFor(() => expect(titles()).toEqual([office.title]));
    expect(projectField(name).value).toBe(`${office[name]}, next year`);
  },
);

test.each([
  ['HTML', '<img src=x onerror="document.title=1"><script>document.title=1</script>&amp;'],
  ['100,000 characters', 'x'.repeat(100_000), 'ltr'],
  ['line breaks', 'first\n\n  third\ttab'],
])(
  '%s in a project is shown as plain text, unshortened [PROJECTS-6]',
  async (_, text, direction = 'auto') => {
    await renderProjects([storedProject(projectOf(() => text))]);
    const row = within(list()).getByRole('listitem');
    expect(row.querySelectorAll('img, script')).toHaveLength(0);
    for (const name of textNames) {
      expect(rowText(name)?.textContent).toBe(text);
      expect(rowDirection(name)).toBe(direction);
    }
  },
);

test('a list that has failed is fetched again by the link of its screen, and by a creation [CHOICE-99, CHOICE-100]', async () => {
  const { user, create, backend } = await renderProjects();
  (await backend.next('listProjects')).answer(503, { message: 'Not now.' });
  await waitFor(() => expect(list().getAttribute('aria-busy')).toBe('false'));
  await user.click(screen.getByRole('link', { name: screens['/projects'].title }));
  (await backend.next('listProjects')).answer(503, { message: 'Not now.' });
  await waitFor(() => expect(list().getAttribute('aria-busy')).toBe('false'));
  (await create()).answer(201, office);
  (await backend.next('listProjects')).answer(200, [relaunch, office]);
  await waitFor(() => expect(titles()).toEqual([relaunch.title, office.title]));
  await user.type(title(), 'Half a title');
  await user.click(screen.getByRole('link', { name: screens['/projects'].title }));
  (await backend.next('listProjects')).answer(200, [office]);
  await waitFor(() => expect(titles()).toEqual([office.title]));
  expect(title().value).toBe('Half a title');
});
