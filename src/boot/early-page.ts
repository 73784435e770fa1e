/**
 * The page until the app has hydrated it. Shows the prerendered screen of the URL, records the
 * state of the form, and requests the lazy chunk and the list where that screen needs them.
 */

import { prefetchList } from '../api/prefetch-list.ts';
import { discardPrefetchedList } from '../api/prefetched-list.ts';
import {
  addressOfFragment,
  isLazy,
  notFoundRoute,
  routeOf,
  windowTitle,
} from '../../shared/routes.ts';
import { createEarlyForm } from './early-form.ts';
import { streamRows } from './early-list.ts';
import type { Prerendered } from './prerendered.ts';

type Chunks = {
  /** The file name of the lazy chunk. */
  lazyChunk: string;
  preloadLazyChunk: () => void;
  importLazyChunk: () => Promise<unknown>;
};

/** For first rows that take longer, the app does not wait. */
const maxRowsDelayMs = 100;

const wait = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs));

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

/** The prefix keeps ids unlike URL fragments: a browser focuses the element of a fragment. */
const findTemplate = (name: string) =>
  document.getElementById(`template:${name}`) as HTMLTemplateElement | null;

export function startEarlyPage({ lazyChunk, preloadLazyChunk, importLazyChunk }: Chunks) {
  const root = document.getElementById('root')!;
  const listeners = new AbortController();
  let hasFailed = false;
  /** Chunks run afterwards, because that takes longer than painting the rows. */
  let firstRows: Promise<unknown> = Promise.resolve();
  let shownHash: string;

  const state: Prerendered = {
    phase: 'shown',
    lazyChunk,
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
      form.setSubmitted(false);
      if (state.phase === 'handed over') return;
      state.phase = 'handed over';
      listeners.abort();
      // Repeats the event that `onPopState` stopped.
      if (shownHash !== location.hash) dispatchEvent(new PopStateEvent('popstate'));
    },
  };
  window.prerendered = state;

  // A copy, because a dataset keeps its element, and so all templates, in memory.
  const requiredMessages = Object.assign({}, findTemplate('required')!.dataset);
  const form = createEarlyForm(state, requiredMessages, () => {
    if (hasFailed) showLoadError();
    else form.setSubmitted(true);
  });

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
      const rows = streamRows(list, {
        section: root.querySelector('section')!,
        template: findTemplate('row')!,
        isShown: () => state.phase === 'shown',
      });
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
    void firstRows.then(importLazyChunk).catch(onMissingChunk);
  }

  function onMissingChunk() {
    if (state.phase === 'shown') state.showLoadError();
  }

  /** Shows the banner in a new element, because screen readers announce an alert when it appears. */
  function showLoadError() {
    hideLoadError();
    const banner = findTemplate('load-error')!.content.cloneNode(true);
    root.querySelector('h1')!.parentElement!.after(banner);
    form.setSubmitted(false);
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

  /** Hides navigations from the router during hydration, because React would replace the page. */
  function onPopState(event: Event) {
    if (state.phase === 'frozen') event.stopImmediatePropagation();
  }

  function onHashChange() {
    if (state.phase === 'shown') showScreen(true);
  }

  const { signal } = listeners;
  addEventListener('hashchange', onHashChange, { signal });
  addEventListener('focusout', form.onBlur, { signal });
  addEventListener('input', form.validate, { signal });
  addEventListener('submit', form.onSubmit, { signal });
  // Before the router does, because the window calls its listeners in the order of registration.
  addEventListener('popstate', onPopState, { signal });
  showScreen(false);
  return { firstRows, onMissingChunk };
}
