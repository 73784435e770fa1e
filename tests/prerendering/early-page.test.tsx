import { expect, onTestFinished, test, vi } from 'vitest';
import { startEarlyPage } from '../../src/boot/early-page.ts';
import { renderTemplates } from '../../src/boot/render-templates.tsx';
import { createSession } from '../../src/session.ts';

const templates = await renderTemplates();

const send = (event: 'fail' | 'freeze' | 'handOver') => () => window.prerendered!.send(event);

const events = {
  fail: send('fail'),
  freeze: send('freeze'),
  handOver: send('handOver'),
  navigate() {
    location.hash = '#/register';
    dispatchEvent(new Event('hashchange'));
  },
  goBack: () => dispatchEvent(new PopStateEvent('popstate', { cancelable: true })),
  submit() {
    for (const input of document.querySelectorAll('input')) input.value = 'ada@example.org';
    document.querySelector('form')!.requestSubmit();
  },
};

type EventName = keyof typeof events;

/** Opens a screen as the inline script does, and sends events. */
function openPage(names: EventName[], hash = '#/login') {
  location.hash = hash;
  document.body.innerHTML = `<div id="root"></div>${templates}`;
  const ignored = new AbortController();
  const seen = { popstate: 0, submit: 0, imports: 0 };
  const imported = startEarlyPage({
    lazyChunk: '',
    preloadLazyChunk() {},
    importLazyChunk: async () => (seen.imports += 1),
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
  for (const name of names) events[name]();
  return async () => {
    await imported;
    return {
      focused: document.activeElement,
      heading: document.querySelector('h1')!.textContent,
      alert: document.querySelector('[role=alert]'),
      busy: document.querySelector('[type=submit]')?.getAttribute('aria-busy') === 'true',
      ...seen,
    };
  };
}

/** What each event changes in each phase: of the page, and of what the app sees. */
const phases: [phase: string, path: EventName[], changes: { [event in EventName]?: string }][] = [
  [
    'loading',
    [],
    { fail: 'alert', navigate: 'focused heading imports', goBack: 'popstate', submit: 'busy' },
  ],
  [
    'failed',
    ['fail'],
    { freeze: 'alert', navigate: 'focused heading alert', goBack: 'popstate', submit: 'alert' },
  ],
  ['frozen', ['freeze'], { submit: 'busy' }],
  ['frozen after a failure', ['fail', 'freeze'], { submit: 'busy' }],
  ['frozen with a navigation', ['freeze', 'navigate'], { handOver: 'popstate', submit: 'busy' }],
  ['frozen with a submit', ['freeze', 'submit'], { handOver: 'busy' }],
  ['handed over', ['freeze', 'handOver'], { goBack: 'popstate', submit: 'submit' }],
];

const cases = phases.flatMap(([phase, path, changes]) =>
  (Object.keys(events) as EventName[]).map((event) => ({
    event,
    phase,
    path,
    changed: changes[event] ?? '',
  })),
);

test.each(cases)(
  '$event while $phase changes $changed [CHOICE-61, CHOICE-71, CHOICE-73, CHOICE-75]',
  async ({ event, path, changed }) => {
    const page = openPage(path);
    const before = Object.entries(await page());
    events[event]();
    const after: { [name: string]: unknown } = await page();
    const changes = before.filter(([name, value]) => after[name] !== value);
    expect(changes.map(([name]) => name).join(' ')).toBe(changed);
  },
);

test.each([
  ['another user', ['ada@example.org', 'bob@example.org'], ''],
  ['the same user', ['ada@example.org', 'ada@example.org'], 'Typed'],
  ['the first user', ['bob@example.org'], 'Typed'],
])(
  'a sign-in of %s elsewhere, while frozen, empties the form or not [CHOICE-101]',
  (_, users, text) => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json([]));
    localStorage.clear();
    const signInElsewhere = (email: string) => createSession().signIn(email);
    users.slice(0, -1).forEach(signInElsewhere);
    openPage(['freeze'], '#/projects');
    const title = document.querySelector('input')!;
    title.value = 'Typed';
    signInElsewhere(users.at(-1)!);
    dispatchEvent(new Event('storage'));
    expect(title.value).toBe(text);
  },
);
