import { expect, onTestFinished, test, vi } from 'vitest';
import { prefetchList } from '../../src/api/prefetch-list.ts';
import { fetchWithPrefetchedList } from '../../src/api/prefetched-list.ts';

const origin = 'http://localhost';

test.each([
  ['the list', 'prefetched', 'GET', '/api/v1/projects'],
  ['a single project', 'fetched', 'GET', '/api/v1/projects/7'],
  ['a creation', 'fetched', 'POST', '/api/v1/projects'],
])(
  'a request of %s gets the %s response, while the list is prefetched',
  async (_, body, method, path) => {
    const fetched = vi.spyOn(window, 'fetch').mockResolvedValueOnce(new Response('prefetched'));
    onTestFinished(() => {
      fetched.mockRestore();
      delete window.prefetchedList;
    });
    prefetchList();
    fetched.mockResolvedValueOnce(new Response('fetched'));
    const response = await fetchWithPrefetchedList(new Request(origin + path, { method }));
    expect(await response.text()).toBe(body);
  },
);
