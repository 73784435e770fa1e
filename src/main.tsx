import './styles/global.css.ts';
import { startTransition, useLayoutEffect, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import { createApp } from './app.tsx';
import { openInspector } from './inspector.ts';
import {
  discardPrefetchedList,
  fetchWithPrefetchedList,
  hasUserContent,
  prefetchedRows,
  transferFormState,
} from './prerender/take-over.ts';

// In development, edits of the global styles need no reload.
import.meta.hot?.accept('./styles/global.css.ts', () => {});

const root = document.getElementById('root');
if (!root) throw new Error('index.html needs an element with the id "root".');
const app = createApp({
  fetch: fetchWithPrefetchedList,
  prefetchedRows,
  ...(import.meta.env.DEV && openInspector()),
});

/** Returns a selector that finds the app's counterpart of a prerendered element. */
const selectorOf = (target: unknown) => {
  if (!(target instanceof Element)) return undefined;
  const { localName } = target;
  for (const name of ['href', 'name', 'type']) {
    const value = target.getAttribute(name);
    if (value) return `${localName}[${name}$="${CSS.escape(value)}"]`;
  }
  return target.matches('h1') && localName;
};
let focusSelector = selectorOf(document.activeElement);
const rememberFocus = ({ target }: FocusEvent) => {
  focusSelector = selectorOf(target);
};
addEventListener('focusin', rememberFocus);

let lastScrollY = scrollY;
const rememberScroll = () => {
  lastScrollY = scrollY;
};
addEventListener('scroll', rememberScroll);
// The router scrolls to the top of the first screen that it renders, which would lose the position.
const unsubscribe = app.router.subscribe('onRendered', ({ pathChanged }) => {
  unsubscribe();
  removeEventListener('scroll', rememberScroll);
  // Queued, because the rows above that position render right after this event.
  if (!pathChanged) queueMicrotask(() => scrollTo(0, lastScrollY));
});

// A later visit of the list may be that of another user, so it sends a request of its own.
app.router.subscribe('onRendered', ({ toLocation }) => {
  if (toLocation.pathname !== '/projects') discardPrefetchedList();
});

/** Replaces the prerendered screen and restores the focus and the state of its form. */
function PrerenderTakeOver({ children }: { children: ReactElement }) {
  useLayoutEffect(() => {
    for (const template of document.querySelectorAll('template')) template.remove();
    removeEventListener('focusin', rememberFocus);
    if (focusSelector) {
      root?.querySelector<HTMLElement>(focusSelector)?.focus({ preventScroll: true });
    }
    if (root && window.prerendered) transferFormState(root, window.prerendered);
    // The user followed a link between loading and mounting.
    if (loadedHash !== location.hash) void app.router.load();
  }, []);
  return children;
}

/** The URL fragment that the router has loaded last. */
let loadedHash: string;

// Not a top-level await: the lazy chunk imports this module, so awaiting it here would deadlock.
void loadAndMount();

async function loadAndMount() {
  // Repeated when the user followed a prerendered link while the screen was loading.
  do {
    loadedHash = location.hash;
    // oxlint-disable-next-line no-await-in-loop
    await app.router.load();
  } while (loadedHash !== location.hash);
  const hasFailed = app.router.state.matches.some(({ status }) => status === 'error');
  // The prerendered screen shows the error itself, so it stays while replacing it would lose input.
  if (hasFailed && window.prerendered && hasUserContent(window.prerendered)) {
    addEventListener('hashchange', mount, { once: true });
  } else if (window.prerendered?.isComposing) {
    addEventListener('compositionend', mount, { once: true });
  } else {
    mount();
  }
}

function mount() {
  // A transition renders in slices, so that the prerendered screen stays responsive.
  startTransition(() =>
    createRoot(root!).render(<PrerenderTakeOver>{app.element}</PrerenderTakeOver>),
  );
}
