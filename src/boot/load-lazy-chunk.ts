import { waitForNetwork } from './wait-for-network.ts';

export type LazyChunk = typeof import('./lazy-chunk.ts');

export const loadErrorMessage =
  'This page could not be loaded. Check your connection, or reload the page.';

let loading: Promise<LazyChunk> | undefined;
let retrying: Promise<LazyChunk> | undefined;
let failures = 0;

/** Loads the lazy chunk: the actors and the screens that use them. Tries again after a failure. */
export const loadLazyChunk = (): Promise<LazyChunk> =>
  (loading ??= import('./lazy-chunk.ts').catch(importUnderNewUrl).catch((error: unknown) => {
    loading = undefined;
    throw error;
  }));

/** Firefox 153 and older Safaris never request a module again that failed to load. */
async function importUnderNewUrl(error: unknown): Promise<LazyChunk> {
  const fileName = window.prerendered?.lazyChunk;
  if (!fileName) throw error;
  return import(/* @vite-ignore */ `./${fileName}?${++failures}`) as Promise<LazyChunk>;
}

/** Loads the lazy chunk after a failure, as soon as the network is back. */
export const retryLazyChunk = (): Promise<LazyChunk> => (retrying ??= retry());

async function retry(): Promise<LazyChunk> {
  await waitForNetwork();
  return loadLazyChunk().catch(retry);
}
