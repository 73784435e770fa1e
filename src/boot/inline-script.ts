/**
 * The script that `tools/prerender.ts` inlines into index.html. Until the app has hydrated the
 * page, it shows the prerendered screen of the URL and records the state of the form. It prefetches
 * the lazy chunk and the list where that screen needs them.
 */

import { isProject } from '../../generated/operations.ts';
import { createJsonArrayStream } from '../api/json-array-stream.ts';
import { textChunks } from '../api/outcome.ts';
import type { Project } from '../../machines/types.ts';
import { waitForNetwork } from './wait-for-network.ts';
import { prefetchList } from '../api/prefetch-list.ts';
import { discardPrefetchedList, type PrefetchedList } from '../api/prefetched-list.ts';
import type { Field, Prerendered } from './prerendered.ts';
import {
  addressOfFragment,
  isLazy,
  notFoundRoute,
  routeOf,
  windowTitle,
} from '../../shared/routes.ts';
import { unreadableError } from '../screens/unreadable.ts';
import { initialRowCount } from '../ui/block-offsets.ts';
import { rowTexts } from '../ui/row-texts.ts';

/** The file names of the chunks, defined by the build. */
declare const MAIN_CHUNK: string;
declare const LAZY_CHUNK: string;

const listeners = new AbortController();
const state: Prerendered = {
  phase: 'shown',
  lazyChunk: LAZY_CHUNK,
  form: null,
  blurredFields: new Set(),
  isSubmitted: false,
  focused: null,
  year: 0,
  showLoadError() {
    if (hasFailed) return;
    hasFailed = true;
    showLoadError();
  },
  freeze() {
    state.phase = 'frozen';
    // The event of a change is later than the change.
    if (shownHash !== location.hash) showScreen(true);
    hideLoadError();
    // The app is there now: it sends what the user submits while React hydrates.
    hasFailed = false;
    state.focused = document.activeElement;
  },
  handOver() {
    setSubmitted(false);
    if (state.phase === 'handed over') return;
    state.phase = 'handed over';
    listeners.abort();
    // Repeats the event that `onPopState` stopped.
    if (shownHash !== location.hash) dispatchEvent(new PopStateEvent('popstate'));
  },
};
window.prerendered = state;

/**
 * Returns the address of a chunk without the credentials that the address of the page may have.
 * Chunks import each other without them, so a chunk with them would run twice.
 */
const chunkUrl = (fileName: string) =>
  new URL(`assets/${fileName}`, location.origin + location.pathname).href;

const mainChunkUrl = chunkUrl(MAIN_CHUNK);
const lazyChunkUrl = chunkUrl(LAZY_CHUNK);
const root = document.getElementById('root')!;
let hasFailed = false;
/** Chunks run afterwards, because that takes longer than painting the rows. */
let firstRows: Promise<unknown> = Promise.resolve();
let shownHash: string;

/** The prefix keeps ids unlike URL fragments: a browser focuses the element of a fragment. */
const findTemplate = (name: string) =>
  document.getElementById(`template:${name}`) as HTMLTemplateElement | null;

/**
 * The error message of each field when it is empty, by the field's name in lower case, as HTML
 * reads attributes. That of an optional field is empty. A copy, because a dataset keeps its
 * element, and so all templates, in memory.
 */
const requiredMessages = Object.assign({}, findTemplate('required')!.dataset);

function showScreen(isNavigation: boolean) {
  shownHash = location.hash;
  discardPrefetchedList();
  const address = addressOfFragment(location.hash);
  const route = routeOf(address)?.route;
  // First, so that the rows are there when the browser paints the screen.
  const list = route === '/projects' ? prefetchList() : undefined;
  root.replaceChildren(findTemplate(route ?? notFoundRoute)!.content.cloneNode(true));
  document.title = windowTitle(address);
  if (list) {
    const rows = streamRows(list, root.querySelector('section')!);
    firstRows = Promise.race([rows.then(nextFrame), wait(maxRowsDelayMs)]);
  }
  state.form = root.querySelector('form');
  state.blurredFields.clear();
  state.isSubmitted = false;
  // After a navigation, focuses the heading as the app does.
  if (isNavigation) root.querySelector('h1')?.focus();
  const footer = root.querySelector('footer');
  state.year = new Date().getFullYear();
  if (footer) footer.textContent = footer.textContent.replace('YEAR', String(state.year));
  if (hasFailed) showLoadError();
  // After a failure, the app requests the chunk.
  if (hasFailed || !route || !isLazy(route)) return;
  // The main chunk would request it too, but only after it has loaded itself.
  if (list) preloadLazyChunk();
  void firstRows.then(() => import(lazyChunkUrl)).catch(onMissingChunk);
}

/** Downloads the lazy chunk without running it. */
function preloadLazyChunk(fetchPriority = 'auto') {
  const link = document.createElement('link');
  const href = lazyChunkUrl;
  Object.assign(link, { rel: 'modulepreload', crossOrigin: '', fetchPriority, href });
  document.head.append(link);
}

/** For first rows that take longer, the app does not wait. */
const maxRowsDelayMs = 100;

const wait = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs));

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

/** Waits after the `load` event, so that the app has hydrated the screen. */
const prefetchDelayMs = 400;

function onLoad() {
  const { connection } = navigator as { connection?: { saveData: boolean } };
  if (connection?.saveData || matchMedia('(prefers-reduced-data: reduce)').matches) return;
  // Safari has no `requestIdleCallback`.
  const whenIdle = window.requestIdleCallback ?? setTimeout;
  // Later navigations need no network then.
  setTimeout(() => whenIdle(() => preloadLazyChunk('low')), prefetchDelayMs);
}

function onMissingChunk() {
  if (state.phase === 'shown') state.showLoadError();
}

/**
 * Loads the main chunk when the network is back. Firefox 153 never requests a failed module again,
 * so it gets one from a URL that is spelled differently, and so do the imports of that module.
 */
async function retryMainChunk(url: string): Promise<unknown> {
  await waitForNetwork();
  return fetch(url, { method: 'HEAD' })
    .then(({ ok }) => ok || Promise.reject(new Error()))
    .then(() => import(url).catch(() => import(url.replace('assets', '%61ssets'))))
    .catch(() => retryMainChunk(url));
}

/** Shows the banner in a new element, because screen readers announce an alert when it appears. */
function showLoadError() {
  hideLoadError();
  const banner = findTemplate('load-error')!.content.cloneNode(true);
  root.querySelector('h1')!.parentElement!.after(banner);
  setSubmitted(false);
  setLoading(false);
}

function hideLoadError() {
  root.querySelector('[role=alert]')?.remove();
  setLoading(true);
}

function setLoading(isLoading: boolean) {
  const section = root.querySelector('section');
  section?.setAttribute('aria-busy', `${isLoading}`);
  section?.querySelector(':scope > p')?.toggleAttribute('hidden', !isLoading);
}

function setSubmitted(isSubmitted: boolean) {
  state.isSubmitted = isSubmitted;
  const button = state.form?.querySelector('[type=submit]');
  for (const name of ['aria-busy', 'aria-disabled']) button?.setAttribute(name, `${isSubmitted}`);
}

/** Characters parsed at a time, so that only the start of a long list is parsed here. */
const maxParseLength = 4096;

/** Shows the first rows of the list as they arrive. Errors are left to the app to report. */
async function streamRows(list: PrefetchedList, section: HTMLElement) {
  try {
    const response = await list.response;
    if (!response.ok) return;
    const stream = createJsonArrayStream(isProject);
    for await (const chunk of textChunks(response.clone())) {
      if (state.phase !== 'shown') return;
      for (let start = 0; start < chunk.length; start += maxParseLength) {
        stream.write(chunk.slice(start, start + maxParseLength));
        list.rows = stream.items.slice(0, initialRowCount);
        if (list.rows.length > 0) appendRows(list.rows, section);
        if (list.rows.length >= initialRowCount) return;
      }
    }
  } catch {
    // Aborted, no response, or a malformed one.
  }
}

/** Appends those of the rows that are not in the section yet. */
function appendRows(rows: Project[], section: HTMLElement) {
  const { content } = findTemplate('row')!;
  if (!section.querySelector('ul')) {
    section.querySelector('p')?.remove();
    section.append(content.cloneNode(true));
    section.querySelector('li')!.remove();
  }
  const list = section.querySelector('ul')!;
  for (const project of rows.slice(list.children.length)) {
    const row = content.querySelector('li')!.cloneNode(true) as HTMLElement;
    for (const element of row.querySelectorAll<HTMLElement>('[data-field]')) {
      element.textContent = rowTexts[element.dataset['field'] as keyof typeof rowTexts](project);
    }
    list.append(row);
    row.ariaPosInSet = String(list.children.length);
  }
}

/** Extensions add fields of their own. */
const isOwn = (field: Partial<Field>) =>
  Object.hasOwn(requiredMessages, String(field.name).toLowerCase());

/** Returns what the app says of an empty field, or of one that the browser cannot read. */
const errorOf = (field: Field) =>
  unreadableError(field) ?? (field.value ? '' : requiredMessages[field.name.toLowerCase()]!);

/** Updates the error of a blurred field. */
function validate({ target }: { target: unknown }) {
  const field = target as Field;
  const error = document.getElementById(field.getAttribute('aria-describedby') ?? '');
  if (!error || !state.blurredFields.has(field.name)) return;
  error.textContent = errorOf(field);
  field.setAttribute('aria-invalid', String(error.textContent !== ''));
}

function onBlur({ target }: { target: unknown }) {
  if (!isOwn(target as Field)) return;
  state.blurredFields.add((target as Field).name);
  validate({ target });
}

function onSubmit(event: Event) {
  if (event.target !== state.form) return;
  event.preventDefault();
  const fields = [...state.form!.querySelectorAll<Field>('[name]')].filter(isOwn);
  for (const target of fields) onBlur({ target });
  const invalid = fields.find(errorOf);
  invalid?.focus();
  if (!invalid && hasFailed) showLoadError();
  else setSubmitted(!invalid);
}

/** Hides navigations from the router during hydration, because React would replace the page. */
function onPopState(event: Event) {
  if (state.phase === 'frozen') event.stopImmediatePropagation();
}

function onHashChange() {
  if (state.phase === 'shown') showScreen(true);
}

const { signal } = listeners;
addEventListener('load', onLoad);
addEventListener('hashchange', onHashChange, { signal });
addEventListener('focusout', onBlur, { signal });
addEventListener('input', validate, { signal });
addEventListener('submit', onSubmit, { signal });
// Before the router does, because the window calls its listeners in the order of registration.
addEventListener('popstate', onPopState, { signal });
showScreen(false);
// By `import`, so that the scripts of others, such as extensions, may fail without harm.
void firstRows
  .then(() => import(mainChunkUrl))
  .catch(() => {
    onMissingChunk();
    void retryMainChunk(mainChunkUrl);
  });
