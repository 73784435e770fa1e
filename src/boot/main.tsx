import '../styles/global.css.ts';
import { startTransition } from 'react';
import { createAppRoot } from './app-root.ts';
import { createApp } from './app.tsx';
import { retryLazyChunk } from './load-lazy-chunk.ts';
import { prepareHydration } from './router-internals.ts';
import { discardPrefetchedList, prefetchedRows } from '../api/prefetched-list.ts';

// In development, edits of the global styles need no reload.
import.meta.hot?.accept('../styles/global.css.ts', () => {});

const { prerendered } = window;
// An extension may have added another element of that id.
const root = prerendered?.root ?? document.getElementById('root');
if (!root) throw new Error('index.html needs an element with the id "root".');
const app = createApp();

const appRoot = createAppRoot(root, app.element);

// A later visit of the list may be that of another user, so it sends a request of its own.
app.router.subscribe('onRendered', ({ toLocation }) => {
  if (toLocation.pathname !== '/projects') discardPrefetchedList();
});

// Not a top-level await: the lazy chunk imports this module, so awaiting it here would deadlock.
void loadAndHydrate();

async function loadAndHydrate(): Promise<void> {
  let loadedHash: string;
  // Repeated when the user followed a prerendered link while the screen was loading.
  do {
    loadedHash = location.hash;
    await app.router.load();
  } while (loadedHash !== location.hash);
  if (!prerendered) {
    appRoot.render();
    return;
  }
  const isMissing = app.router.state.matches.some(
    ({ loaderData }) => loaderData && !loaderData.chunk,
  );
  // The prerendered screen shows the error, and keeps what was typed until the chunk has loaded.
  if (isMissing) {
    prerendered.send('fail');
    const events = ['hashchange', 'click'].map(
      (type) => new Promise((resolve) => addEventListener(type, resolve, { once: true })),
    );
    await Promise.race([retryLazyChunk(), ...events]);
    return loadAndHydrate();
  }
  prerendered.send('freeze');
  prepareHydration(app.router);
  const rows = prefetchedRows();
  if (rows) (await app.actors()).projects.send({ type: 'rows.received', rows });
  // A transition renders in slices, so that the prerendered screen stays responsive.
  startTransition(() => appRoot.hydrate());
}
