/**
 * The one script that stands in the page itself. Until the app takes its place it shows the screen that the address names, asks for
 * `work` and for the list where that screen needs them, and remembers what is done to a form. `src/prerender/vite-plugin.ts` puts it there.
 */

import { isProject } from '../api/decode.ts';
import { createJsonArrayStream } from '../api/json-array-stream.ts';
import { textChunks } from '../api/outcome.ts';
import type { Project } from '../../machines/types.ts';
import { HEADER, xsrfToken } from '../api/xsrf.ts';
import { initialRowCount } from '../ui/block-offsets.ts';

/** The file of src/lazy-chunk.ts in this build. */
declare const WORK: string;

/** What the app goes on with. */
export type Prerendered = {
  /** The answer to the call for the list, which began with the page. */
  list?: List;
  form: HTMLFormElement | null;
  /** Names of the fields that were left. */
  left: Set<string>;
  /** Its button was pressed, and no field was empty. */
  submitted: boolean;
  /** A word is being put together that would end if its field went away. */
  composing: boolean;
  /** Lets the app's own forms alone from now on. */
  stop: () => void;
};

type List = {
  answer: Promise<Response>;
  giveUp: AbortController;
  /** Those of its projects that are in view. */
  rows?: Project[];
};

declare global {
  interface Window {
    prerendered?: Prerendered;
  }
}

export type Field = HTMLInputElement | HTMLTextAreaElement;

const listening = new AbortController();
const view: Prerendered = {
  form: null,
  left: new Set(),
  submitted: false,
  composing: false,
  stop: () => listening.abort(),
};
window.prerendered = view;

const root = document.getElementById('root')!;
let hasFailed = false;

/** No fragment of an address is such an id: the browser would go to the template, and take the focus from wherever it is. */
const templateOf = (name: string) =>
  document.getElementById(`view:${name}`) as HTMLTemplateElement | null;

function show(event?: Event) {
  view.list?.giveUp.abort();
  delete view.list;
  // As the router reads it.
  const [, way = ''] = location.hash.split(/[#?]/);
  const path = `/${way.replace(/^\/|\/$/g, '')}`;
  const template = templateOf(path) ?? templateOf('/*')!;
  root.replaceChildren(template.content.cloneNode(true));
  document.title = template.title;
  if (path === '/projects') {
    view.list = askForList();
    void showList(view.list, root.querySelector('section')!);
  }
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

/** Says it anew each time: an alert that is a new element is read out. */
function sayFailed() {
  root.querySelector('[role=alert]')?.remove();
  const banner = templateOf('failed')!.content.cloneNode(true);
  root.querySelector('h1')!.parentElement!.after(banner);
  wait(false);
  // Nor does the list come.
  const list = root.querySelector('section');
  list?.setAttribute('aria-busy', 'false');
  for (const sign of list?.querySelectorAll('h2 ~ :not(div)') ?? []) sign.remove();
}

/** Whether the button shows that the form was submitted. */
function wait(submitted: boolean) {
  view.submitted = submitted;
  const button = view.form?.querySelector('button');
  for (const name of ['aria-busy', 'aria-disabled']) button?.setAttribute(name, String(submitted));
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
  return { answer, giveUp };
}

/** So many characters of a list are read at a time. */
const littleEnough = 4096;

/** Shows the first projects of a list as soon as they are there. Whatever is wrong with it is for the app to say. */
async function showList(list: List, section: HTMLElement) {
  try {
    const answer = await list.answer;
    if (!answer.ok) return;
    const reader = createJsonArrayStream(isProject);
    for await (const piece of textChunks(answer.clone())) {
      // A long list may come as one piece, of which a little is enough.
      for (let at = 0; at < piece.length; at += littleEnough) {
        reader.add(piece.slice(at, at + littleEnough));
        list.rows = reader.items.slice(0, initialRowCount);
        if (list.rows.length > 0) draw(list.rows, section);
        if (list.rows.length >= initialRowCount) return;
      }
    }
  } catch {
    // Given up, no answer, or another one than was promised.
  }
}

/** Adds those of the rows to a section that are not there yet. */
function draw(rows: Project[], section: HTMLElement) {
  const { content } = templateOf('row')!;
  if (!section.querySelector('ul')) {
    section.querySelector('p')?.remove();
    section.append(content.cloneNode(true));
    section.querySelector('li')!.remove();
  }
  const list = section.querySelector('ul')!;
  for (const { title, description } of rows.slice(list.children.length)) {
    const row = content.querySelector('li')!.cloneNode(true) as HTMLElement;
    row.firstElementChild!.textContent = title;
    row.lastElementChild!.textContent = description;
    list.append(row);
    row.ariaPosInSet = String(list.children.length);
  }
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
  if (!empty && hasFailed) sayFailed();
  else wait(!empty);
}

/** Takes in whether a word is being put together, as many languages are typed. */
function compose({ type }: Event) {
  view.composing = type === 'compositionstart';
}

show();
const { signal } = listening;
addEventListener('hashchange', show, { signal });
addEventListener('focusout', leave, { signal });
addEventListener('input', check, { signal });
addEventListener('submit', submit, { signal });
addEventListener('compositionstart', compose, { signal });
addEventListener('compositionend', compose, { signal });
addEventListener('error', fail, { signal, capture: true });
