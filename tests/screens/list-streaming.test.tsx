import { act, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { rowTexts } from '../../src/ui/row-texts.ts';
import { createButton } from '../../testing/projects-screen.tsx';
import { newProject, storedProject } from '../../testing/projects.ts';
import { renderApp } from '../../testing/render-app.tsx';

/** Renders the projects on a backend that streams each list as the test says. */
async function renderStreaming(route = '/projects') {
  const lists: ReadableStreamDefaultController<Uint8Array>[] = [];
  const fetch = async () =>
    new Response(new ReadableStream({ start: (list) => void lists.push(list) }));
  const app = await renderApp(route, { fetch });
  const settle = () => act(() => new Promise((resolve) => setTimeout(resolve)));
  return {
    ...app,
    /** Sends a chunk of the last list, or of the list with this index. */
    send: async (chunk: string, index = lists.length - 1) => {
      lists[index]?.enqueue(new TextEncoder().encode(chunk));
      await settle();
    },
    end: async () => {
      lists.at(-1)?.close();
      await settle();
    },
    loseConnection: async () => {
      lists.at(-1)?.error(new TypeError('network error'));
      await settle();
    },
    rows: () =>
      screen
        .queryAllByRole('listitem')
        .map((row) =>
          [...row.querySelectorAll('[data-field]')].map((field) => field.textContent).join(''),
        ),
    setSizes: () => screen.getAllByRole('listitem').map((row) => row.getAttribute('aria-setsize')),
    busy: () => screen.getByRole('region', { name: 'List of Projects' }).getAttribute('aria-busy'),
  };
}

const project = (n: number) => JSON.stringify(storedProject({}, n));
const row = (n: number) =>
  Object.values(rowTexts)
    .map((textOf) => textOf(storedProject({}, n)))
    .join('');

test('the projects received so far are shown while the list streams [CHOICE-51, CHOICE-54, LIST-1, LIST-3]', async () => {
  const { send, end, rows, setSizes, busy } = await renderStreaming();
  await send(`[${project(1)},${project(2).slice(0, 9)}`);
  expect(rows()).toEqual([row(1)]);
  expect(setSizes()).toEqual(['-1']);
  expect(busy()).toBe('true');
  await send(`${project(2).slice(9)}]`);
  await end();
  expect(rows()).toEqual([row(1), row(2)]);
  expect(setSizes()).toEqual([null, null]);
  expect(busy()).toBe('false');
});

test('a list is emptied and logged when its connection is lost [CHOICE-55, LIST-4, LIST-5]', async () => {
  const { send, loseConnection, rows, busy, logged } = await renderStreaming();
  await send(`[${project(1)},`);
  expect(rows()).toEqual([row(1)]);
  await loseConnection();
  expect(rows()).toEqual([]);
  expect(busy()).toBe('false');
  expect(logged.map(({ operationId }) => operationId)).toEqual(['listProjects']);
});

test('a complete list stays until the next one is complete [CHOICE-30, CHOICE-54]', async () => {
  const { send, end, rows, go } = await renderStreaming();
  await send(`[${project(1)},${project(2)}]`);
  await end();
  await go('/about');
  await go('/projects');
  await send(`[${project(3)},`);
  expect(rows()).toEqual([row(1), row(2)]);
  await send(`${project(4)}]`);
  await end();
  expect(rows()).toEqual([row(3), row(4)]);
});

test('the rows of an aborted request are not shown [CHOICE-56]', async () => {
  const { send, rows, projects } = await renderStreaming();
  await send(`[${project(1)},`);
  await act(async () => projects.send({ type: 'projects.opened' }));
  expect(rows()).toEqual([]);
  await send(`${project(2)},`, 0).catch(() => {});
  expect(rows()).toEqual([]);
  await send(`[${project(3)},`, 1);
  expect(rows()).toEqual([row(3)]);
});

test('the rows received so far stay while a project is being created [CHOICE-51]', async () => {
  const { send, rows, projects } = await renderStreaming();
  await send(`[${project(1)},`);
  await act(async () => projects.send({ type: 'createProject', project: newProject() }));
  expect(createButton().getAttribute('aria-busy')).toBe('true');
  expect(rows()).toEqual([row(1)]);
});

test('prefetched rows stay until the list has more of them [CHOICE-51, CHOICE-69]', async () => {
  const { send, end, rows, projects, go } = await renderStreaming('/');
  projects.send({ type: 'rows.received', rows: [storedProject({}, 1), storedProject({}, 2)] });
  await go('/projects');
  expect(rows()).toEqual([row(1), row(2)]);
  await send(`[${project(1)},`);
  expect(rows()).toEqual([row(1), row(2)]);
  await send(`${project(2)},${project(3)},`);
  expect(rows()).toEqual([row(1), row(2), row(3)]);
  await send(`${project(4)}]`);
  await end();
  expect(rows()).toEqual([row(1), row(2), row(3), row(4)]);
  await act(async () =>
    projects.send({ type: 'session.changed', user: 'ada', isElsewhere: false }),
  );
  expect(rows()).toEqual([]);
});
