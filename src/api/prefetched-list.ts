/**
 * The list that the inline script requests before the app has loaded. It is on `window`, because
 * the script and the app share no module.
 */
import type { paths } from '../../generated/api.d.ts';
import type { Project } from '../../machines/types.ts';

export type PrefetchedList = {
  response: Promise<Response>;
  abortController: AbortController;
  /** The rows that are in the page. */
  rows?: Project[];
};

declare global {
  interface Window {
    prefetchedList?: PrefetchedList;
  }
}

export const listPath = '/api/v1/projects' satisfies keyof paths;

/**
 * Calls `window.fetch` with an address, as scripts of others that wrap it expect. At once if the
 * request has its body as a text beside it: the tab may close after a submit.
 */
export async function fetchByAddress(request: Request & { bodyText?: string }): Promise<Response> {
  const { url, method, credentials, cache, signal, keepalive } = request;
  const headers = Object.fromEntries(request.headers);
  // An empty text as a body would get the content type text/plain.
  const body = (request.bodyText ?? (await request.text())) || null;
  const init = { method, headers, credentials, cache, signal, body };
  return window.fetch(url, keepalive ? { ...init, keepalive } : init);
}

/** Wraps `window.fetch`. Returns the prefetched response for the first request of the list. */
export function fetchWithPrefetchedList(request: Request): Promise<Response> {
  const list = window.prefetchedList;
  const isOfList = request.method === 'GET' && new URL(request.url).pathname === listPath;
  if (!list || !isOfList) return fetchByAddress(request);
  delete window.prefetchedList;
  request.signal.addEventListener('abort', () => list.abortController.abort());
  return list.response;
}

/** Returns the rows of that list that the prerendered screen shows. */
export const prefetchedRows = () => window.prefetchedList?.rows;

export function discardPrefetchedList(): void {
  window.prefetchedList?.abortController.abort();
  delete window.prefetchedList;
}
