/** No screen of the app has a parameter. These tests add one to a copy of the project. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { heading } from '../../model/browser-driver.ts';
import { headerRoutes, screens } from '../../src/screens/routes.ts';
import { toolCommand } from '../../tools/run.ts';
import { headerLink, useBrowser, useServer } from '../support/browser.ts';
import { prerenderedPages } from '../support/held-pages.ts';
import { copyProject } from '../support/project-copy.ts';

/** Copies the project and adds a screen, whose component returns `jsx`. */
function addScreen(jsx: string, ...cleanUp: Parameters<typeof copyProject>) {
  const project = copyProject(...cleanUp);
  writeFileSync(
    join(project.folder, 'src/screens/project.tsx'),
    `import { useParams } from '@tanstack/react-router';
import { Heading } from '../ui/heading.tsx';
import { useHydrated } from '../ui/use-hydrated.ts';
import { Link } from './layout.tsx';

export function ProjectScreen() {
  const { projectId } = useParams({ from: '/layout/projects/$projectId' });
  const isHydrated = useHydrated();
  return ${jsx};
}

/** Every other screen can link it. */
export const renderLink = (projectId: string) => (
  <Link variant="inline" to="/projects/$projectId" params={{ projectId }}>
    Another project
  </Link>
);
`,
  );
  project.edit('src/screens/routes.ts', (source) =>
    source.replace(
      "  '/register': {",
      `  '/projects/$projectId': {
    title: ({ projectId }) => \`Project \${projectId}\`,
    heading: 'Project',
    isLazy: true,
    example: '/projects/of-the-example',
  },
$&`,
    ),
  );
  project.edit('src/boot/lazy-chunk.ts', (source) =>
    source
      .replace('import', "import { ProjectScreen } from '../screens/project.tsx';\nimport")
      .replace(/.*: ProjectsScreen,\n/, "$&  '/projects/$$projectId': ProjectScreen,\n"),
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

const { folder } = addScreen(
  `(
    <>
      <Heading>{isHydrated ? \`Project \${projectId}\` : 'Project'}</Heading>
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
const server = useServer({ DIST_DIR: join(folder, 'dist') });
const openPrerendered = prerenderedPages(browser, server);

test('a screen with a parameter breaks no types', () => {
  const options = ['--allow=all', '--type-aware', '--type-check', '--deny-warnings'];
  expect(run(folder, 'oxlint/bin/oxlint', ...options)).toBe('');
});

test('a screen with a parameter is prerendered at each of its addresses, and keeps its heading', async () => {
  const { page, problems, hydrate } = await openPrerendered('/Projects/A7');
  await heading(page, 'Project').waitFor();
  expect(await page.title()).toBe('Project A7 · Tracker App');
  const element = await heading(page, 'Project').elementHandle();
  await hydrate();
  await heading(page, 'Project A7').waitFor();
  expect(await element?.evaluate((node) => node.isConnected)).toBe(true);
  expect(await page.title()).toBe('Project A7 · Tracker App');
  expect(problems).toEqual([]);
});

test('a link leads to a screen with a parameter, whatever its characters, and so does a reload', async () => {
  const { page } = await browser.open();
  await page.goto(`${server.address}/#/projects/7`);
  await page.getByRole('link', { name: 'Another project' }).click();
  await heading(page, 'Project a/b 100% ü').waitFor();
  expect(await page.title()).toBe('Project a/b 100% ü · Tracker App');
  await page.reload();
  await heading(page, 'Project a/b 100% ü').waitFor();
});

test('the header neither links a screen with a parameter nor marks the one above as current', async () => {
  const { page } = await browser.open();
  await page.goto(`${server.address}/#/projects/7`);
  await heading(page, 'Project 7').waitFor();
  expect(await page.getByRole('banner').getByRole('link').allTextContents()).toEqual(
    headerRoutes.map((route) => screens[route].title),
  );
  expect(await headerLink(page, 'Projects').getAttribute('aria-current')).toBe(null);
});

test('the server redirects the path of a screen with a parameter to its fragment', async () => {
  const { page } = await browser.open();
  await page.goto(`${server.address}/projects/a%2Fb?utm_source=letter`);
  await heading(page, 'Project a/b').waitFor();
  expect(page.url()).toBe(`${server.address}/?utm_source=letter#/projects/a%2Fb`);
});

test.each([
  ['throws', "(() => { throw new Error('No project'); })()", 'No project'],
  [
    'is empty',
    'isHydrated && <Heading>{projectId}</Heading>',
    '/projects/$projectId is not the screen at /projects/of-the-example',
  ],
  [
    'shows its parameter before the app has loaded',
    '<Heading>{`Project ${projectId}`}</Heading>',
    '/projects/$projectId shows the parameter "of-the-example"',
  ],
])('a build fails if a screen %s', (_, jsx, message) => {
  const output = build(addScreen(jsx).folder);
  expect(output).toContain(message);
});
