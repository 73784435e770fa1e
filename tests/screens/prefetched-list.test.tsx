import { screen } from '@testing-library/react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { controlledBackend } from '../../model/controlled-backend.ts';
import { operationTable } from '../../generated/operations.ts';
import { createApi } from '../../src/api/api.ts';
import { prefetchList } from '../../src/api/prefetch-list.ts';
import { fetchWithPrefetchedList } from '../../src/api/prefetched-list.ts';
import { newProject, storedProject } from '../../testing/projects.ts';
import { renderApp } from '../../testing/render-app.tsx';

const origin = 'http://localhost';
const { path: projects } = operationTable.listProjects;

test.each([
  ['the list', 'prefetched', 'GET', projects],
  ['a single project', 'fetched', 'GET', `${projects}/7`],
  ['a creation', 'fetched', 'POST', projects],
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

test('the prefetched request is that of the app, and is aborted with it [CHOICE-68, CHOICE-70, CALL-1]', async () => {
  const sent: { signal: AbortSignal }[] = [];
  vi.spyOn(window, 'fetch').mockImplementation(async (url, init) => {
    const defaults = { url, method: 'GET', body: null, priority: expect.anything() };
    sent.push({ ...defaults, ...init, headers: [...new Headers(init!.headers)] } as never);
    return Response.json([]);
  });
  document.cookie = 'XSRF-TOKEN=t';
  const api = createApi({
    origin: location.origin,
    fetch: fetchWithPrefetchedList,
    cookies: () => document.cookie,
  });
  const leaving = new AbortController();
  prefetchList();
  for (const signal of [leaving.signal, new AbortController().signal])
    await api.call('listProjects', undefined, signal);
  leaving.abort();
  expect(sent.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  const [prefetched, own] = sent.map((request) => ({ ...request, signal: undefined }));
  expect(prefetched).toEqual(own);
});

test('the first list of the app is the prefetched one [CHOICE-68]', async () => {
  const fetched = vi.spyOn(window, 'fetch').mockResolvedValue(Response.json([storedProject()]));
  prefetchList();
  await renderApp('/projects', { fetch: undefined as never });
  await screen.findByRole('listitem');
  expect(fetched).toHaveBeenCalledOnce();
});

test('a creation arrives unchanged if a script wraps fetch, resolves the address and adds a header', async () => {
  const backend = controlledBackend();
  vi.spyOn(window, 'fetch').mockImplementation((url, init) =>
    backend.fetch(
      new Request(new URL(url as string).href, {
        ...init,
        headers: { ...(init!.headers as Record<string, string>), trace: '1' },
      }),
    ),
  );
  const api = createApi({ origin, fetch: fetchWithPrefetchedList, cookies: () => 'XSRF-TOKEN=t' });
  const project = newProject();
  const call = api.call('createProject', project, new AbortController().signal);
  const { method, path, body, headers, credentials, answer } = await backend.next('createProject');
  expect({ method, path, body, credentials }).toEqual({
    method: 'POST',
    path: projects,
    body: project,
    credentials: 'include',
  });
  for (const name of ['content-type', 'x-xsrf-token', 'idempotency-key'])
    expect(headers.get(name)).toMatch(/./);
  answer(201, storedProject(project));
  expect(await call).toMatchObject({ ok: true });
});
