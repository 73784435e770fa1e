import './styles/global.css.ts';
import { startTransition, useLayoutEffect, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import { createApp } from './app.tsx';
import {
  prefetchedRows,
  fetchWithPrefetchedList,
  discardPrefetchedList,
  transferFormState,
  hasUserContent,
} from './prerender/take-over.ts';

const root = document.getElementById('root');
if (!root) throw new Error('index.html needs an element with the id "root".');
const app = createApp({ fetch: fetchWithPrefetchedList, prefetchedRows: prefetchedRows });

const placeOf = (target: unknown) => {
  if (!(target instanceof Element)) return undefined;
  const { localName } = target;
  for (const name of ['href', 'name']) {
    const value = target.getAttribute(name);
    if (value) return `${localName}[${name}$="${CSS.escape(value)}"]`;
  }
  return target.matches('h1, button') && localName;
};
let focused = placeOf(document.activeElement);
const notice = ({ target }: FocusEvent) => {
  focused = placeOf(target);
};
addEventListener('focusin', notice);

let y = scrollY;
const keep = () => {
  y = scrollY;
};
addEventListener('scroll', keep);
/** The router begins at the top of the screen that it shows first; whoever is further down by now stays there. */
const unsubscribe = app.router.subscribe('onRendered', ({ pathChanged }) => {
  unsubscribe();
  removeEventListener('scroll', keep);
  // Its rows are drawn right after it.
  if (!pathChanged) queueMicrotask(() => scrollTo(0, y));
});

// Who comes back to the projects, or is somebody else by then, asks anew.
app.router.subscribe('onRendered', ({ toLocation }) => {
  if (toLocation.pathname !== '/projects') discardPrefetchedList();
});

/** What is in the page until now (see shell.tsx) looks the same. Whoever was somewhere in it stays there. */
function InPlaceOfTheFirstView({ children }: { children: ReactElement }) {
  useLayoutEffect(() => {
    for (const template of document.querySelectorAll('template')) template.remove();
    removeEventListener('focusin', notice);
    if (focused) root?.querySelector<HTMLElement>(focused)?.focus({ preventScroll: true });
    if (root && window.prerendered) transferFormState(root, window.prerendered);
    // Or they have followed it meanwhile.
    if (place !== location.hash) void app.router.load();
  }, []);
  return children;
}

/** Where the router is when it has loaded; whoever follows a link of the first view meanwhile is elsewhere by then. */
let place: string;

// Not at the top level: what waits there can be imported by no script that it waits for.
void begin();

async function begin() {
  do {
    place = location.hash;
    // oxlint-disable-next-line no-await-in-loop
    await app.router.load();
  } while (place !== location.hash);
  const hasFailed = app.router.state.matches.some(({ status }) => status === 'error');
  // Where a script of the app is missing, the first view says so, and keeps what there is for as long as people stay.
  if (hasFailed && window.prerendered && hasUserContent(window.prerendered)) {
    addEventListener('hashchange', mount, { once: true });
  } else if (window.prerendered?.composing) {
    addEventListener('compositionend', mount, { once: true });
  } else {
    mount();
  }
}

function mount() {
  // In slices: whoever uses the first view meanwhile is not held up.
  startTransition(() =>
    createRoot(root!).render(<InPlaceOfTheFirstView>{app.element}</InPlaceOfTheFirstView>),
  );
}
