/**
 * The one script that stands in the page itself. Until the app takes its place it shows the screen that the address names, asks for
 * `work` and for the list where that screen needs them, and remembers what is done to a form. `tools/shell.ts` puts it there.
 */

import { HEADER, xsrfToken } from './api/xsrf.ts';

/** The file of src/work.ts in this build. */
declare const WORK: string;

/** What the app goes on with. */
export type FirstView = {
  /** The answer to the call for the list, which began with the page. */
  list?: { answer: Promise<Response>; giveUp: AbortController };
  form: HTMLFormElement | null;
  /** Names of the fields that were left. */
  left: Set<string>;
  /** Its button was pressed, and no field was empty. */
  submitted: boolean;
  /** Lets the app's own forms alone from now on. */
  stop: () => void;
};

declare global {
  interface Window {
    firstView?: FirstView;
  }
}

export type Field = HTMLInputElement | HTMLTextAreaElement;

const listening = new AbortController();
const view: FirstView = {
  form: null,
  left: new Set(),
  submitted: false,
  stop: () => listening.abort(),
};
window.firstView = view;

let hasFailed = false;

function show(event?: Event) {
  view.list?.giveUp.abort();
  delete view.list;
  const [, path = '/'] = location.hash.split(/[#?]/);
  const template = document.getElementById(path);
  const root = document.getElementById('root');
  if (!root || !(template instanceof HTMLTemplateElement)) return;
  root.replaceChildren(template.content.cloneNode(true));
  if (path === '/projects') view.list = askForList();
  view.form = root.querySelector('form');
  view.left.clear();
  view.submitted = false;
  // Whoever followed a link, which is gone now, is on the heading of the other screen, as in the app.
  if (event) root.querySelector('h1')?.focus();
  for (const year of root.querySelectorAll('[data-year]')) {
    year.textContent = year.textContent.replace('YEAR', String(new Date().getFullYear()));
  }
  if (hasFailed) sayFailed();
  if (!('work' in template.dataset)) return;
  // The script that is on its way would ask for it only when it has come.
  const script = document.createElement('script');
  Object.assign(script, { type: 'module', crossOrigin: '', src: WORK });
  document.head.append(script);
}

/** A script that does not come: whoever waits for the app should not wait on. */
function fail({ target }: Event) {
  if (hasFailed || !(target instanceof HTMLScriptElement)) return;
  hasFailed = true;
  sayFailed();
}

function sayFailed() {
  const template = document.getElementById('failed');
  if (!(template instanceof HTMLTemplateElement)) return;
  const banner = template.content.cloneNode(true);
  if (view.form) view.form.before(banner);
  else document.querySelector('h1')?.after(banner);
  view.submitted = false;
  view.form?.querySelector('button')?.setAttribute('aria-busy', 'false');
}

/** The same call that the app makes (see src/api/api.ts), while its scripts are on their way, which go first. */
function askForList() {
  const giveUp = new AbortController();
  const token = xsrfToken(() => document.cookie);
  const answer = fetch('/api/v1/projects', {
    headers: { Accept: 'application/json', ...(token && { [HEADER]: token }) },
    credentials: 'include',
    cache: 'no-store',
    priority: 'low',
    signal: giveUp.signal,
  });
  // Whoever takes the answer hears of it.
  answer.catch(() => {});
  return { answer, giveUp };
}

/** Says of a field that was left empty that it is required, as the app does. */
function check({ target }: { target: unknown }) {
  const field = target as Field;
  const error = document.getElementById(field.getAttribute('aria-describedby') ?? '');
  if (!error || !view.left.has(field.name)) return;
  error.textContent = field.value ? '' : (field.dataset['required'] ?? '');
  field.setAttribute('aria-invalid', String(!field.value));
}

function leave({ target }: { target: unknown }) {
  view.left.add((target as Field).name);
  check({ target });
}

function submit(event: Event) {
  event.preventDefault();
  const fields = [...view.form!.querySelectorAll<Field>('[name]')];
  for (const target of fields) leave({ target });
  const empty = fields.find(({ value }) => !value);
  empty?.focus();
  view.submitted = !empty && !hasFailed;
  view.form!.querySelector('button')!.setAttribute('aria-busy', String(view.submitted));
}

show();
const { signal } = listening;
addEventListener('hashchange', show, { signal });
addEventListener('focusout', leave, { signal });
addEventListener('input', check, { signal });
addEventListener('submit', submit, { signal });
addEventListener('error', fail, { signal, capture: true });
