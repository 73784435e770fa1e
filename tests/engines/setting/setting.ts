import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { Route } from '../../../shared/routes.ts';
import { CookieClient } from '../../../testing/cookie-client.ts';
import { insertProjects, withDatabase } from '../../../testing/database.ts';
import { startTemporaryServer } from '../../../testing/server-process.ts';
import { createAppPage } from './app-page.ts';
import type { Engine, PageOptions } from './page.ts';
import { startRecordingProxy } from './proxy.ts';
import { textNames } from '../../../testing/projects.ts';
import { credentialsOf } from '../../../testing/credentials.ts';
import { columns } from '../../../server/store/lists.ts';

const usual: PageOptions = { width: 1000, height: 700, look: 'light' };

export type Setting = ReturnType<typeof useSetting>;

/** Starts an engine and a backend for all stories. Returns what they begin with. */
export function useSetting(name: string, startEngine: () => Promise<Engine>) {
  let engine: Engine;
  let backend: Awaited<ReturnType<typeof startTemporaryServer>>;
  beforeAll(async () => {
    backend = await startTemporaryServer();
    engine = await startEngine();
  });
  afterAll(async () => {
    await engine?.stop();
    await backend?.stop();
  });

  /** Opens an empty page, and a proxy with an origin of its own, so that nothing is cached. */
  async function open(options: Partial<PageOptions> = {}, credentials?: string) {
    const server = await startRecordingProxy(backend.address, credentials);
    onTestFinished(() => server.stop());
    const page = createAppPage(await engine.open({ ...usual, ...options }));
    return { page, server };
  }

  /** Opens a prerendered screen, whose scripts load when `takeOver` is called. */
  async function openPrerendered(path: Route) {
    const { page, server } = await open();
    server.holdScripts();
    await page.goto(`${server.address}/#${path}`);
    await page.waitForScreen(path);
    const takeOver = () => {
      server.releaseScripts();
      return page.waitForApp();
    };
    return { page, server, takeOver };
  }

  let emails = 0;
  const newEmail = () => `${name}-${process.pid}-${++emails}@example.org`;

  /** Registers a user with this many projects, without a browser. Returns the email. */
  async function registerUser(projectCount = 0) {
    const email = newEmail().toLowerCase();
    const client = new CookieClient(backend.address, credentialsOf(email));
    expect((await client.register()).status).toBe(201);
    if (projectCount > 0) await insertProjects(backend.settings, email, projectCount);
    return email;
  }

  /** Opens the projects of a user, who signs in. */
  async function openProjects(email: string) {
    const { page, server } = await open();
    await page.openScreen(server.address, '/login');
    await page.fillCredentials(email);
    await page.press('Enter');
    await page.waitForScreen('/projects');
    await expect.poll(() => page.count('section[aria-busy=false]')).toBe(1);
    return page;
  }

  /** Adds lines, as many as the SQL expression says, to the last text of each nth project. */
  async function lengthenTexts(email: string, nth: number, lineCount: string) {
    const column = columns[textNames.at(-1)!];
    await withDatabase(backend.settings, (database) =>
      database.query(
        `update projects set ${column} = ${column}
           || replace(substr('${'.'.repeat(40)}', 1, ${lineCount}), '.', char(10) || 'One more line.')
         where position % ${nth} = 0
           and account_id = (select id from accounts where email = $1)`,
        [email],
      ),
    );
  }

  return { open, openPrerendered, newEmail, registerUser, openProjects, lengthenTexts };
}
