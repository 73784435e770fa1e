import { expect, onTestFinished, test, vi } from 'vitest';
import type { AppEvent, EarlyEvent, Phase } from '../../src/boot/early-chart.ts';
import { startEarlyPage } from '../../src/boot/early-page.ts';
import { ownFields, takeOver, type Field } from '../../src/boot/prerendered.ts';
import { renderTemplates } from '../../src/boot/render-templates.tsx';
import { fieldMessages } from '../../shared/field-rules.ts';
import { forms } from '../../shared/forms.ts';
import { screens } from '../../shared/routes.ts';
import { listOf, storedProject, textNames } from '../../testing/projects.ts';
import { createSession } from '../../src/session.ts';

const about = vi.hoisted(() => ({ heading: (): string => 'About Page' }));
vi.mock('../../src/screens/about.tsx', () => ({ AboutScreen: () => <h1>{about.heading()}</h1> }));

const templates = await renderTemplates();

const send = (event: AppEvent) => () => window.prerendered!.send(event);

const signInElsewhere = (email: string) => createSession().signIn(email);

const events: Record<EarlyEvent, () => unknown> = {
  fail: send('fail'),
  freeze: send('freeze'),
  handOver: send('handOver'),
  hashchange: () => (location.hash = '#/register'),
  popstate: () => dispatchEvent(new PopStateEvent('popstate', { cancelable: true })),
  submit() {
    for (const field of document.querySelectorAll<Field>(ownFields)) field.value ||= 'Submitted';
    document.querySelector('form')!.requestSubmit();
  },
  userChange() {
    signInElsewhere('bob@example.org');
    dispatchEvent(new Event('storage'));
  },
};

const refused = async () => Response.json({}, { status: 401 });

/** Until the event of a new fragment was dispatched. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

/** Opens the projects of Ada as the inline script does, types a title, and sends events. */
async function openPage(
  names: EarlyEvent[],
  {
    users = ['ada@example.org'],
    list = async () => Response.json([]),
    chunk = async () => {},
  } = {},
) {
  users.forEach(signInElsewhere);
  location.hash = '#/projects';
  await settle();
  document.body.innerHTML = `<div id="root"></div>${templates}`;
  const ignored = new AbortController();
  const seen = { popstate: 0, submit: 0, imports: 0, fetches: 0, aborts: 0 };
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
    seen.fetches += 1;
    init!.signal!.addEventListener('abort', () => (seen.aborts += 1));
    return list();
  });
  const imported = startEarlyPage({
    lazyChunk: '',
    preloadLazyChunk() {},
    importLazyChunk: () => {
      seen.imports += 1;
      return chunk();
    },
  });
  addEventListener('popstate', () => (seen.popstate += 1), ignored);
  addEventListener(
    'submit',
    (event) => {
      if (!event.defaultPrevented) seen.submit += 1;
      event.preventDefault();
    },
    ignored,
  );
  onTestFinished(() => {
    events.freeze();
    events.handOver();
    ignored.abort();
    delete window.prerendered;
    document.body.innerHTML = '';
    location.hash = '';
  });
  document.querySelector<Field>(ownFields)!.value = 'Typed';
  await imported;
  for (const name of names) events[name]();
  return async () => {
    await settle();
    const section = document.querySelector('section');
    return {
      focused: document.activeElement,
      heading: document.querySelector('h1')!.textContent,
      alert: document.querySelector('[role=alert]'),
      busy: document.querySelector('[type=submit]')?.getAttribute('aria-busy') === 'true',
      list: window.prefetchedList,
      loading: section?.getAttribute('aria-busy'),
      note: section?.querySelector<HTMLElement>(':scope > p')?.hidden,
      text: document.querySelector<Field>(ownFields)?.value,
      ...seen,
    };
  };
}

/** What each event changes in each phase: of the page, and of what the app sees. */
const phases: Record<
  Phase | 'frozen with a submit and a navigation',
  [path: EarlyEvent[], changes: Record<EarlyEvent, string>]
> = {
  loading: [
    [],
    {
      fail: 'alert loading note',
      freeze: 'nothing',
      handOver: 'nothing',
      hashchange: 'focused heading list loading note text imports aborts',
      popstate: 'popstate',
      submit: 'busy',
      userChange: 'list text fetches aborts',
    },
  ],
  failed: [
    ['fail'],
    {
      fail: 'nothing',
      freeze: 'alert loading note',
      handOver: 'nothing',
      hashchange: 'focused heading alert list loading note text aborts',
      popstate: 'popstate',
      submit: 'alert',
      userChange: 'alert list text fetches aborts',
    },
  ],
  frozen: [
    ['freeze'],
    {
      fail: 'nothing',
      freeze: 'nothing',
      handOver: 'nothing',
      hashchange: 'nothing',
      popstate: 'nothing',
      submit: 'busy',
      userChange: 'text',
    },
  ],
  'frozen with a submit and a navigation': [
    ['freeze', 'submit', 'hashchange'],
    {
      fail: 'nothing',
      freeze: 'nothing',
      handOver: 'busy popstate',
      hashchange: 'nothing',
      popstate: 'nothing',
      submit: 'nothing',
      userChange: 'busy text',
    },
  ],
  'handed over': [
    ['freeze', 'handOver'],
    {
      fail: 'nothing',
      freeze: 'nothing',
      handOver: 'nothing',
      hashchange: 'nothing',
      popstate: 'popstate',
      submit: 'submit',
      userChange: 'nothing',
    },
  ],
};

const cases = Object.entries(phases).flatMap(([phase, [path, changes]]) =>
  Object.entries(changes).map(([event, changed]) => ({ event, phase, path, changed })),
);

test.each(cases)(
  '$event while $phase changes $changed [CHOICE-61, CHOICE-70, CHOICE-71, CHOICE-72, CHOICE-73, CHOICE-75]',
  async ({ event, path, changed }) => {
    const page = await openPage(path);
    const before = Object.entries(await page());
    events[event as EarlyEvent]();
    const after: { [name: string]: unknown } = await page();
    const changes = before.filter(([name, value]) => after[name] !== value);
    expect(changes.map(([name]) => name).join(' ') || 'nothing').toBe(changed);
  },
);

test.each(
  (['loading', 'failed', 'frozen'] as const).flatMap((phase) => [
    { phase, user: 'another user', users: ['ada@example.org', 'bob@example.org'], text: '' },
    { phase, user: 'the same user', users: ['ada@example.org', 'ada@example.org'], text: 'Typed' },
    { phase, user: 'the first user', users: ['bob@example.org'], text: 'Typed', list: refused },
    { phase, user: 'a user after an unknown one', users: ['bob@example.org'], text: '' },
  ]),
)(
  'while $phase, a sign-in of $user elsewhere leaves the text "$text", busy with it [CHOICE-78, CHOICE-101, CHOICE-115, CHOICE-120]',
  async ({ phase, users, text, ...options }) => {
    const path: EarlyEvent[] = [...phases[phase][0], 'submit'];
    const page = await openPage(path, { ...options, users: users.slice(0, -1) });
    signInElsewhere(users.at(-1)!);
    dispatchEvent(new Event('storage'));
    expect(await page()).toMatchObject({ text, busy: text !== '' && phase !== 'failed' });
  },
);

test.each(['loading', 'failed'] as const)(
  'a sign-in of another user elsewhere, while %s, of which no event told, drops the text when React hydrates the page [CHOICE-115]',
  async (phase) => {
    const page = await openPage([...phases[phase][0], 'submit']);
    signInElsewhere('bob@example.org');
    // A field that is typed in now has the text of the user before.
    document.querySelector(ownFields)!.dispatchEvent(new Event('input', { bubbles: true }));
    events.freeze();
    expect(await page()).toMatchObject({ text: '', busy: false, fetches: 2 });
  },
);

test('a submit without a required text ends the one before, and names the text [CHOICE-75]', async () => {
  const page = await openPage(['submit']);
  const field = document.querySelector<Field>(ownFields)!;
  field.value = '';
  document.querySelector('form')!.requestSubmit();
  const { busy, focused } = await page();
  expect(busy).toBe(false);
  expect(focused).toBe(field);
  const error = document.getElementById(field.getAttribute('aria-describedby')!)!;
  expect(error.textContent).toBe(fieldMessages.required(forms.createProject.fields.title));
});

test('a submit of an empty form moves the focus to its first field [CHOICE-75]', async () => {
  const page = await openPage(['hashchange']);
  await page();
  const [first] = document.querySelectorAll<Field>(ownFields);
  document.querySelector('form')!.requestSubmit();
  expect((await page()).focused).toBe(first);
});

test('what was typed and submitted is not on the next screen [CHOICE-67]', async () => {
  const page = await openPage(['submit', 'hashchange']);
  expect(await page()).toMatchObject({ text: '', busy: false });
  const { isSubmitted, blurredFields } = window.prerendered!;
  expect({ isSubmitted, touched: [...blurredFields] }).toEqual({ isSubmitted: false, touched: [] });
});

test('React hydrates the screen of a link that was followed just before [CHOICE-61]', async () => {
  await openPage(['hashchange']);
  // Before the event of the change.
  events.freeze();
  const heading = document.querySelector('h1')!;
  expect(heading.textContent).toBe(screens['/register'].heading);
  expect(document.activeElement).toBe(heading);
});

test('the footer has the year of the visit, not of the build [CONST-5, FOOTER-2]', async () => {
  vi.setSystemTime('2040-06-01');
  onTestFinished(() => void vi.useRealTimers());
  await openPage([]);
  expect(document.querySelector('#root footer')!.textContent).toContain('2040');
});

test('a script of others that fails is no alert, and keeps an early submit', async () => {
  const page = await openPage(['submit']);
  const script = document.body.appendChild(document.createElement('script'));
  script.dispatchEvent(new Event('error'));
  dispatchEvent(new ErrorEvent('error'));
  expect(await page()).toMatchObject({ alert: null, busy: true });
});

test('a lazy chunk that fails is an alert [CHOICE-71]', async () => {
  const page = await openPage([], { chunk: () => Promise.reject(new Error('gone')) });
  expect(await page()).toMatchObject({ alert: expect.anything(), imports: 1 });
});

test('each screen after a failed load has the alert [CHOICE-71]', async () => {
  const page = await openPage(['fail', 'hashchange']);
  expect(await page()).toMatchObject({ alert: expect.anything() });
});

const projects = [storedProject({}, 1), storedProject({}, 2)];
const text = JSON.stringify(projects);
const wrong = JSON.stringify([{ ...projects[0], title: 1 }]);
const manyRows = JSON.stringify(listOf(300));

/** The text arrives in two chunks of half its length, the second one when the events were sent. */
test.each<[title: string, text: string, status: number, names: EarlyEvent[], rows: number]>([
  ['each row once', text, 200, [], 2],
  ['the rows beside an alert', text, 200, ['fail'], 2],
  ['no more rows when React hydrates the page', text, 200, ['freeze'], 1],
  ['the first fifteen rows, and reads no further', manyRows, 200, [], 15],
  ['no row of an error', text, 500, [], 0],
  ['no row of something else', `{"items":${text}}`, 200, [], 0],
  ['no row without a title', wrong, 200, [], 0],
])('the list shows %s [CHOICE-69, CHOICE-76]', async (_, json, status, names, rows) => {
  const parse = vi.spyOn(JSON, 'parse');
  let body!: ReadableStreamDefaultController;
  const stream = new ReadableStream({ start: (controller) => void (body = controller) });
  const bytes = new TextEncoder().encode(json);
  const half = bytes.length / 2 + 1;
  body.enqueue(bytes.slice(0, half));
  const page = await openPage([], { list: async () => new Response(stream, { status }) });
  for (const name of names) events[name]();
  body.enqueue(bytes.slice(half));
  body.close();
  await page();
  const positions = [...document.querySelectorAll('#root li')].map((row) => row.ariaPosInSet);
  expect(positions).toEqual(Array.from({ length: rows }, (_row, index) => String(index + 1)));
  expect(parse.mock.calls.filter(([part]) => part.includes('Project 100'))).toEqual([]);
});

test.each([
  ['the form', false],
  ['a form that React rendered again', true],
])(
  '%s has the text, the focus, the touched fields and the submit when the app has taken over [CHOICE-62, CHOICE-63, CHOICE-64, CHOICE-93]',
  async (_, isCopy) => {
    const page = await openPage(['submit']);
    const form = document.querySelector('form')!;
    [...form.querySelectorAll<Field>(ownFields)].at(-1)!.focus();
    events.freeze();
    if (isCopy) {
      const copy = form.cloneNode(true) as HTMLFormElement;
      for (const field of copy.querySelectorAll<Field>(ownFields)) field.value = '';
      form.replaceWith(copy);
    }
    const order: string[] = [];
    const listening = new AbortController();
    addEventListener('focusout', ({ target }) => order.push((target as Field).name), listening);
    addEventListener('submit', () => order.push('the submit'), listening);
    onTestFinished(() => listening.abort());
    takeOver();
    order.push("React's work");
    expect(await page()).toMatchObject({ text: 'Typed', submit: 1, busy: isCopy });
    expect(order).toEqual([...textNames, "React's work", 'the submit']);
    expect((document.activeElement as Field).name).toBe(textNames.at(-1));
    expect(window.prerendered).toMatchObject({ form: null, focused: null });
    expect(document.getElementById('templates')).toBeNull();
  },
);

const fail = () => {
  throw new Error('No text');
};

test.each([
  ['throws', fail, 'No text'],
  ['has another heading than its row', () => 'Another', '/about has the heading "Another"'],
])('prerendering fails if a screen %s', async (_, heading, message) => {
  vi.spyOn(about, 'heading').mockImplementation(heading);
  await expect(renderTemplates()).rejects.toThrow(message);
});
