/**
 * The page until the app has hydrated it. Shows the prerendered screen of the URL, records the
 * state of the form, and requests the lazy chunk and the list where that screen needs them.
 */

import { prefetchList } from '../api/prefetch-list.ts';
import type { NewProject } from '../../machines/types.ts';
import { discardPrefetchedList, type PrefetchedList } from '../api/prefetched-list.ts';
import { createDrafts, draftEvents } from '../draft.ts';
import { storedUser, userEvents } from '../session.ts';
import {
  addressOfFragment,
  isLazy,
  notFoundRoute,
  routeOf,
  windowTitle,
  type Route,
} from '../../shared/routes.ts';
import { chart, type Action, type EarlyEvent, type Phase } from './early-chart.ts';
import { createEarlyForm } from './early-form.ts';
import { streamRows } from './early-list.ts';
import { copyFields, ownFields, type Field, type Prerendered } from './prerendered.ts';

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

// oxlint-disable-next-line max-lines-per-function -- its listeners share the state of the page
export function startEarlyPage({ lazyChunk, preloadLazyChunk, importLazyChunk }: Chunks) {
  const root = document.getElementById('root')!;
  const listeners = new AbortController();
  const rowsController = new AbortController();
  let phase: Phase = 'loading';
  let shownRoute: Route | undefined;
  let shownHash: string;
  /** The user who had signed in last when the screen was shown. */
  let shownUser: string | undefined;
  let shownList: PrefetchedList | undefined;
  /** Chunks run afterwards, because that takes longer than painting the rows. */
  let firstRows: Promise<unknown> = Promise.resolve();

  const state: Prerendered = {
    lazyChunk,
    root,
    form: null,
    blurredFields: new Set(),
    isSubmitted: false,
    focused: null,
    year: 0,
    send,
  };
  window.prerendered = state;

  const drafts = createDrafts();
  // A copy, because a dataset keeps its element, and so all templates, in memory.
  const requiredMessages = Object.assign({}, findTemplate('required')!.dataset);
  const form = createEarlyForm(state, requiredMessages, () => send('submit'));

  function send(name: EarlyEvent, event?: Event) {
    const transition = chart[phase][name];
    if (!transition) return;
    phase = transition.target ?? phase;
    for (const action of transition.actions) actions[action](event);
  }

  const actions: Record<Action, (event?: Event) => void> = {
    showScreen,
    /** Keeps the text of a visitor, as `projects` does at the first sign-in in a browser. */
    showScreenAgain() {
      const { form: typed, isSubmitted } = state;
      const isFirst = isOfVisitor();
      const { activeElement } = document;
      showScreen();
      if (!isFirst || !typed) return;
      copyFields(typed, activeElement);
      keepDraft();
      form.setSubmitted(isSubmitted);
    },
    discardText() {
      const isFirst = isOfVisitor();
      shownUser = storedUser();
      if (isFirst) return;
      state.form?.reset();
      form.setSubmitted(false);
    },
    // As the app does after a navigation.
    focusHeading: () => root.querySelector('h1')?.focus(),
    importLazyChunk() {
      if (!shownRoute || !isLazy(shownRoute)) return;
      // The main chunk would request it too, but only after it has loaded itself.
      if (shownRoute === '/projects') preloadLazyChunk();
      void firstRows.then(importLazyChunk).catch(() => send('fail'));
    },
    showLoadError,
    hideLoadError,
    setSubmitted: () => form.setSubmitted(true),
    freeze() {
      rowsController.abort();
      findForm();
      // The event of a change is later than the change.
      if (shownHash !== location.hash) {
        showScreen();
        actions.focusHeading();
      } else if (isOfOtherUser()) actions.showScreenAgain();
      state.focused = document.activeElement;
    },
    // Hides navigations from the router, because React would replace the page.
    stopEvent: (event) => event!.stopImmediatePropagation(),
    handOver() {
      form.setSubmitted(false);
      listeners.abort();
      // Repeats the event that was stopped.
      if (shownHash !== location.hash) dispatchEvent(new PopStateEvent('popstate'));
    },
  };

  function showScreen() {
    shownHash = location.hash;
    const user = storedUser();
    discardPrefetchedList();
    const address = addressOfFragment(location.hash);
    shownRoute = routeOf(address);
    // First, so that the rows are there when the browser paints the screen.
    const list = shownRoute === '/projects' ? prefetchList() : undefined;
    shownList = list;
    root.replaceChildren(findTemplate(shownRoute ?? notFoundRoute)!.content.cloneNode(true));
    document.title = windowTitle(address);
    if (list) {
      const rows = streamRows(list, {
        section: root.querySelector('section')!,
        template: findTemplate('row')!,
        signal: rowsController.signal,
      });
      firstRows = Promise.race([rows.then(nextFrame), wait(maxRowsDelayMs)]);
    }
    findForm();
    // Not before: a field that is removed may cause events, and has the earlier user's text.
    shownUser = user;
    const draft: Record<string, string> = drafts.read(shownUser);
    for (const field of draftFields()) field.value = draft[field.name] ?? '';
    state.blurredFields.clear();
    state.isSubmitted = false;
    const footer = root.querySelector('footer');
    state.year = new Date().getFullYear();
    if (footer) footer.textContent = footer.textContent.replace('YEAR', String(state.year));
  }

  const draftFields = () => [
    ...((shownRoute === '/projects' && state.form?.querySelectorAll<Field>(ownFields)) || []),
  ];

  /** The text belongs to the user for whom the screen was shown. */
  function keepDraft() {
    findForm();
    const texts = draftFields().map(({ name, value }) => [name, value]);
    if (texts.length > 0) drafts.store(shownUser, Object.fromEntries(texts) as NewProject);
  }

  /** An extension may have replaced the form by a copy. */
  function findForm() {
    if (!state.form?.isConnected) state.form = root.querySelector<Field>(ownFields)?.form ?? null;
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

  /** Returns whether another user has signed in in another tab since the list was requested. */
  function isOfOtherUser() {
    const user = storedUser();
    return shownRoute === '/projects' && user !== undefined && user !== shownUser;
  }

  /** A page that has received rows is not that of a visitor, although the browser knows no user. */
  const isOfVisitor = () => shownUser === undefined && !shownList?.rows;

  const { signal } = listeners;
  for (const type of userEvents) {
    const onEvent = () => isOfOtherUser() && send('userChange');
    addEventListener(type, onEvent, { signal, capture: true });
  }
  addEventListener('focusout', form.onBlur, { signal });
  addEventListener('input', form.validate, { signal });
  for (const type of draftEvents) addEventListener(type, keepDraft, { signal });
  addEventListener(
    'submit',
    (event) => {
      findForm();
      form.onSubmit(event);
    },
    { signal },
  );
  addEventListener('hashchange', () => send('hashchange'), { signal });
  // Before the router does, because the window calls its listeners in the order of registration.
  addEventListener('popstate', (event) => send('popstate', event), { signal });
  showScreen();
  actions.importLazyChunk();
  return firstRows;
}
