import { act, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderApp } from '../support/render-app.tsx';

/** The screen of projects, before a backend that sends its list when and as far as the test says. */
async function listening(options: Parameters<typeof renderApp>[1] = {}) {
  const lists: ReadableStreamDefaultController<Uint8Array>[] = [];
  const fetch = async () =>
    new Response(new ReadableStream({ start: (list) => void lists.push(list) }));
  const app = await renderApp('/projects', { fetch, ...options });
  const settled = () => act(() => new Promise((done) => setTimeout(done)));
  return {
    ...app,
    send: async (text: string, list = lists.length - 1) => {
      lists[list]?.enqueue(new TextEncoder().encode(text));
      await settled();
    },
    end: async (list = lists.length - 1) => {
      lists[list]?.close();
      await settled();
    },
    breakOff: async () => {
      lists.at(-1)?.error(new TypeError('network error'));
      await settled();
    },
    rows: () => screen.queryAllByRole('listitem').map((row) => row.textContent),
    sizes: () => screen.getAllByRole('listitem').map((row) => row.getAttribute('aria-setsize')),
    busy: () => screen.getByRole('region', { name: 'List of Projects' }).ariaBusy,
  };
}

const project = (n: number) => JSON.stringify({ id: n, title: `Title ${n}`, description: `d${n}` });

test('[CHOICE-51, CHOICE-54, LIST-1, LIST-3] the projects that have arrived are shown while the rest arrives', async () => {
  const { send, end, rows, sizes, busy } = await listening();
  await send(`[${project(1)},${project(2).slice(0, 9)}`);
  expect(rows()).toEqual(['Title 1d1']);
  expect(sizes()).toEqual(['-1']);
  expect(busy()).toBe('true');
  await send(`${project(2).slice(9)}]`);
  await end();
  expect(rows()).toEqual(['Title 1d1', 'Title 2d2']);
  expect(sizes()).toEqual(['2', '2']);
  expect(busy()).toBe('false');
});

test('[CHOICE-55, LIST-4, LIST-5] a list that breaks off is emptied and logged', async () => {
  const { send, breakOff, rows, logged } = await listening();
  await send(`[${project(1)},`);
  expect(rows()).toEqual(['Title 1d1']);
  await breakOff();
  expect(rows()).toEqual([]);
  expect(screen.getByText('No projects to show.')).toBeTruthy();
  expect(logged.map(({ what }) => what)).toEqual(['listProjects']);
});

test('[CHOICE-30, CHOICE-54] a list that is in view stays until the one that replaces it is complete', async () => {
  const { send, end, rows, go } = await listening();
  await send(`[${project(1)},${project(2)}]`);
  await end();
  await go('/about');
  await go('/projects');
  await send(`[${project(3)},`);
  expect(rows()).toEqual(['Title 1d1', 'Title 2d2']);
  await send(`${project(4)}]`);
  await end();
  expect(rows()).toEqual(['Title 3d3', 'Title 4d4']);
});

test('[CHOICE-56] what arrives of a list that was given up is not shown', async () => {
  const { send, rows, projects } = await listening();
  await send(`[${project(1)},`);
  await act(async () => projects.send({ type: 'projects.opened' }));
  expect(rows()).toEqual([]);
  await send(`${project(2)},`, 0).catch(() => {});
  expect(rows()).toEqual([]);
  await send(`[${project(3)},`, 1);
  expect(rows()).toEqual(['Title 3d3']);
});

test('[CHOICE-51] what has arrived stays while a project is created', async () => {
  const { send, rows, projects } = await listening();
  await send(`[${project(1)},`);
  const typed = { title: 'Website relaunch', description: 'New pages.' };
  await act(async () => projects.send({ type: 'createProject', project: typed }));
  expect(screen.getByRole('button', { name: 'Create Project' }).ariaBusy).toBe('true');
  expect(rows()).toEqual(['Title 1d1']);
});

test('[CHOICE-51, CHOICE-69] rows that are in view before their list is asked for stay, and more are added', async () => {
  const inView = [JSON.parse(project(1)), JSON.parse(project(2))];
  const asked = { times: 0 };
  const arrived = () => (asked.times++ === 0 ? inView : undefined);
  const { send, end, rows, projects } = await listening({ prefetchedRows: arrived });
  expect(rows()).toEqual(['Title 1d1', 'Title 2d2']);
  await send(`[${project(1)},`);
  expect(rows()).toEqual(['Title 1d1', 'Title 2d2']);
  await send(`${project(2)},${project(3)},`);
  expect(rows()).toEqual(['Title 1d1', 'Title 2d2', 'Title 3d3']);
  await send(`${project(4)}]`);
  await end();
  expect(rows()).toEqual(['Title 1d1', 'Title 2d2', 'Title 3d3', 'Title 4d4']);
  await act(async () => projects.send({ type: 'user.loggedIn' }));
  expect(rows()).toEqual([]);
});
