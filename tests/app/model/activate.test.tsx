import { waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { createScreensDriver } from './screens-driver.tsx';

const projects = [1, 2, 3, 4, 5, 6].map((id) => ({ id, title: `Title ${id}`, description: 'D' }));

async function openList() {
  const driver = await createScreensDriver('/projects');
  await driver.answer('listProjects', { status: 200, body: projects });
  await waitFor(async () => expect((await driver.observe()).list?.rows).toHaveLength(6));
  return driver;
}

test('a driver activates the control of the row with an index', async () => {
  const driver = await openList();
  const activated: string[] = [];
  for (const row of document.querySelectorAll('li')) {
    const button = document.createElement('button');
    button.textContent = 'Delete';
    button.addEventListener('click', () => activated.push(row.querySelector('h3')!.textContent));
    row.append(button);
  }
  await driver.activate('Delete', 1);
  expect(activated).toEqual(['Title 2']);
  expect((await driver.observe()).list?.rows[1]).toEqual(['Title 2', 'D']);
});

test('a driver activates a control outside of the rows', async () => {
  const driver = await openList();
  await driver.submit('createProject', ['New', 'Project']);
  const project = { id: 7, title: 'New', description: 'Project' };
  await driver.answer('createProject', { status: 201, body: project });
  const clicked: (string | null)[] = [];
  document.addEventListener(
    'click',
    ({ target }) => clicked.push((target as Element).textContent),
    {
      once: true,
    },
  );
  await driver.activate('Show the new project');
  expect(clicked).toEqual(['Show the new project']);
});
