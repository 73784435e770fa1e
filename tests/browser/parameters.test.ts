/** No screen of the app has a parameter. These tests add two to a copy of the project. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { heading } from '../../model/browser-driver.ts';
import { headerRoutes, screens } from '../../shared/routes.ts';
import { buildRender } from '../../tools/prerender.ts';
import { toolCommand } from '../../tools/run.ts';
import { headerLink, useBrowser, useServer } from '../../testing/browser.ts';
import { prerenderedPages } from '../../testing/held-pages.ts';
import { copyProject } from '../../testing/project-copy.ts';

/**
 * Copies the project and adds two screens with different parameters, both with a component that
 * returns `jsx`.
 */
function addScreens(jsx: string, ...cleanUp: Parameters<typeof copyProject>) {
  const project = copyProject(...cleanUp);
  writeFileSync(
    join(project.folder, 'src/screens/note.tsx'),
    `import { useParams } from '@tanstack/react-router';
import { Heading } from '../ui/heading.tsx';
import { useHydrated } from '../ui/use-hydrated.ts';
import { Link } from './layout.tsx';

export function NoteScreen() {
  const { noteId } = useParams({ from: '/layout/projects/notes/$noteId' });
  const isHydrated = useHydrated();
  return ${jsx};
}

export function LabelScreen() {
  const { labelName } = useParams({ from: '/layout/labels/$labelName' });
  return <Heading>{useHydrated() ? \`Label \${labelName}\` : 'Label'}</Heading>;
}

/** Every other screen can link it. */
export const renderLink = (noteId: string) => (
  <Link variant="inline" to="/projects/notes/$noteId" params={{ noteId }}>
    Another note
  </Link>
);
`,
  );
  project.edit('shared/routes.ts', (source) =>
    source.replace(
      "  '/register': {",
      `  '/projects/notes/$noteId': {
    title: ({ noteId }) => \`Note \${noteId}\`,
    heading: 'Note',
    isLazy: true,
    example: '/projects/notes/of-the-example',
  },
  '/labels/$labelName': {
    title: 'Label',
    heading: 'Label',
    isLazy: true,
    example: '/labels/of-the-example',
  },
$&`,
    ),
  );
  project.edit('src/boot/lazy-chunk.ts', (source) =>
    source
      .replace('import', "import { LabelScreen, NoteScreen } from '../screens/note.tsx';\nimport")
      .replace(
        /.*: ProjectsScreen,\n/,
        "$&  '/projects/notes/$$noteId': NoteScreen,\n  '/labels/$$labelName': LabelScreen,\n",
      ),
  );
  return project;
}

/** Runs a program in a copy. Returns what it prints if it fails. */
function run(folder: string, path: string, ...options: string[]) {
  const [file = '', ...args] = toolCommand(path, ...options);
  const env = { ...process.env, NODE_ENV: 'production', NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(file, args, { cwd: folder, env, encoding: 'utf8' });
  return status === 0 ? '' : stdout + stderr;
}

const build = (folder: string) => run(folder, 'vite/bin/vite.js', 'build');

const { folder } = addScreens(
  `(
    <>
      <Heading>{isHydrated ? \`Note \${noteId}\` : 'Note'}</Heading>
      {isHydrated && renderLink('a/b 100% ü')}
    </>
  )`,
  afterAll,
);
beforeAll(() => {
  const problems = build(folder);
  if (problems) throw new Error(problems);
});
const browser = useBrowser();
const server = useServer({ DIST_DIR: join(folder, 'dist') }, join(folder, 'server/main.ts'));
const openPrerendered = prerenderedPages(browser, server);

test('screens with different parameters break no types', () => {
  const options = [
    'shared',
    'src',
    'model',
    '--allow=all',
    '--type-aware',
    '--type-check',
    '--deny-warnings',
  ];
  expect(run(folder, 'oxlint/bin/oxlint', ...options)).toBe('');
});

test('a screen with a parameter is prerendered at each of its addresses, and keeps its heading', async () => {
  const { page, problems, hydrate } = await openPrerendered('/Projects/Notes/A7');
  await heading(page, 'Note').waitFor();
  expect(await page.title()).toBe('Note A7 · Tracker App');
  const element = await heading(page, 'Note').elementHandle();
  await hydrate();
  await heading(page, 'Note A7').waitFor();
  expect(await element?.evaluate((node) => node.isConnected)).toBe(true);
  expect(await page.title()).toBe('Note A7 · Tracker App');
  expect(problems).toEqual([]);
});

test('a link leads to a screen with a parameter, whatever its characters, and so does a reload', async () => {
  const { page } = await browser.open();
  await page.goto(`${server.address}/#/projects/notes/7`);
  await page.getByRole('link', { name: 'Another note' }).click();
  await heading(page, 'Note a/b 100% ü').waitFor();
  expect(await page.title()).toBe('Note a/b 100% ü · Tracker App');
  await page.reload();
  await heading(page, 'Note a/b 100% ü').waitFor();
});

test('the header neither links a screen with a parameter nor marks the one above as current', async () => {
  const { page } = await browser.open();
  await page.goto(`${server.address}/#/projects/notes/7`);
  await heading(page, 'Note 7').waitFor();
  expect(await page.getByRole('banner').getByRole('link').allTextContents()).toEqual(
    headerRoutes.map((route) => screens[route].title),
  );
  expect(await headerLink(page, 'Projects').getAttribute('aria-current')).toBe(null);
});

test.each([
  ['/projects/notes/7', '../../#/projects/notes/7'],
  ['/projects/notes/7.', '../../#/projects/notes/7.'],
  ['/projects/notes/a%2Fb/?next=/1', '../../../?next=/1#/projects/notes/a%2Fb'],
  ['/index.html%23/projects/notes/7', '../../../#/projects/notes/7'],
])('the server redirects %s', async (path, location) => {
  const { status, headers } = await fetch(server.address + path, { redirect: 'manual' });
  expect([status, headers.get('location')]).toEqual([302, location]);
});

test('the server redirects the path of a screen with a parameter to its fragment', async () => {
  const { page } = await browser.open();
  await page.goto(`${server.address}/projects/notes/a%2Fb?utm_source=letter`);
  await heading(page, 'Note a/b').waitFor();
  expect(page.url()).toBe(`${server.address}/?utm_source=letter#/projects/notes/a%2Fb`);
});

test.each([
  ['throws', "(() => { throw new Error('No note'); })()", 'No note'],
  [
    'is empty',
    'isHydrated && <Heading>{noteId}</Heading>',
    '/projects/notes/$noteId is not the screen at /projects/notes/of-the-example',
  ],
  [
    'shows its parameter before the app has loaded',
    '<Heading>{`Project ${noteId}`}</Heading>',
    '/projects/notes/$noteId shows the parameter "of-the-example"',
  ],
])('prerendering fails if a screen %s', async (_, jsx, message) => {
  const root = addScreens(jsx).folder;
  const { renderTemplates } = await buildRender({ root, mode: 'production' });
  await expect(renderTemplates()).rejects.toThrow(message);
});
