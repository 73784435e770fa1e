// Apart from `prefetched-list.ts`: the main chunk would share `xsrf.ts` with the lazy one, and the
// build would make a third chunk.
import { listPath, type PrefetchedList } from './prefetched-list.ts';
import { xsrfHeader, xsrfTokens } from './xsrf.ts';

/** Sends the request of `listProjects` of `api.ts`, with less priority than the scripts. */
export function prefetchList(): PrefetchedList {
  const abortController = new AbortController();
  const [token] = xsrfTokens(() => document.cookie);
  // A relative address is refused where the address of the page has credentials.
  const response = fetch(location.origin + listPath, {
    headers: { Accept: 'application/json', ...(token && { [xsrfHeader]: token }) },
    credentials: 'include',
    cache: 'no-store',
    priority: 'low',
    signal: abortController.signal,
  });
  return (window.prefetchedList = { response, abortController });
}
