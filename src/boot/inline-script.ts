/**
 * The script that `tools/prerender.ts` inlines into index.html. It starts the early page, and loads
 * the chunks.
 */

import { startEarlyPage } from './early-page.ts';
import { waitForNetwork } from './wait-for-network.ts';

/** The file names of the chunks, defined by the build. */
declare const MAIN_CHUNK: string;
declare const LAZY_CHUNK: string;

/**
 * Returns the address of a chunk without the credentials that the address of the page may have.
 * Chunks import each other without them, so a chunk with them would run twice.
 */
const chunkUrl = (fileName: string) =>
  new URL(`assets/${fileName}`, location.origin + location.pathname).href;

const mainChunkUrl = chunkUrl(MAIN_CHUNK);
const lazyChunkUrl = chunkUrl(LAZY_CHUNK);

/** Downloads the lazy chunk without running it. */
function preloadLazyChunk(fetchPriority = 'auto') {
  const link = document.createElement('link');
  const href = lazyChunkUrl;
  Object.assign(link, { rel: 'modulepreload', crossOrigin: '', fetchPriority, href });
  document.head.append(link);
}

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

addEventListener('load', onLoad);
const firstRows = startEarlyPage({
  lazyChunk: LAZY_CHUNK,
  preloadLazyChunk,
  importLazyChunk: () => import(lazyChunkUrl),
});
// By `import`, so that the scripts of others, such as extensions, may fail without harm.
void firstRows
  .then(() => import(mainChunkUrl))
  .catch(() => {
    window.prerendered!.send('fail');
    void retryMainChunk(mainChunkUrl);
  });
