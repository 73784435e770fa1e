import { fileURLToPath } from 'node:url';
import type { Page, Request, Route as Held } from 'playwright-core';
import { build } from 'vite';
import {
  pollFor,
  createPageActions,
  waitForApp,
  observeScreen,
} from '../../../model/browser-driver.ts';
import { countRequests } from '../../../model/controlled-backend.ts';
import { callOf, type BackendResponse, type Call } from '../../../model/outcomes.ts';
import { forms, type Driver, type Route } from '../../../model/driver.ts';

const config = fileURLToPath(new URL('../../../vite.config.ts', import.meta.url));
const folder = fileURLToPath(new URL('./page', import.meta.url));
const origin = 'http://app.test';

/** The app, built as it is for its users, in memory: paths and what they hold. */
export async function buildApp(): Promise<Map<string, string | Uint8Array>> {
  const built = await build({
    configFile: config,
    root: folder,
    logLevel: 'error',
    build: { write: false },
  });
  if (!('output' in built)) throw new Error('Vite gave something else than one build.');
  return new Map(
    built.output.map((file) => [
      `/${file.fileName}`,
      file.type === 'chunk' ? file.code : file.source,
    ]),
  );
}

/** Something that the app asked for. */
type Arrived = { call: Call; held: Held; sent: unknown; givenUp: boolean; answered: boolean };

/** The built app on a page, freshly started, before a backend that answers when it is told to. */
export async function createBrowserDriver(
  page: Page,
  files: Map<string, string | Uint8Array>,
  start: Route,
): Promise<Driver> {
  const arrived: Arrived[] = [];
  const byRequest = new Map<Request, Arrived>();

  const isThere = page.url().startsWith(origin);
  page.removeAllListeners('requestfailed');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.route(`${origin}/**`, async (held) => {
    const request = held.request();
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/')) {
      const call = callOf(request.method(), request.url());
      const each = { call, held, sent: sentIn(request), givenUp: false, answered: false };
      arrived.push(each);
      byRequest.set(request, each);
      return;
    }
    const path = pathname === '/' ? '/index.html' : pathname;
    const body = files.get(path);
    await (body === undefined
      ? held.fulfill({ status: 404 })
      : held.fulfill({ contentType: typeOf(path), body: Buffer.from(body) }));
  });
  page.on('requestfailed', (request) => {
    const each = byRequest.get(request);
    if (each && !each.answered) each.givenUp = true;
  });
  await (isThere
    ? page.evaluate((route) => window.testApp.restart(route), start)
    : page.goto(`${origin}/#${start}`));
  await waitForApp(page);

  /** One turn of the page: whatever waits for nothing else has happened then. */
  const settled = () => page.evaluate(() => new Promise<void>((resolve) => setTimeout(resolve)));
  const pending = (call: Call) =>
    arrived.filter((each) => each.call === call && !each.answered && !each.givenUp);

  return {
    ...createPageActions(page, settled),
    async answer(call, answer) {
      const each = await pollFor(() => pending(call)[0], settled);
      if (!each) throw new Error(`No ${call} is waiting for an answer.`);
      each.answered = true;
      await give(page, each.held, answer);
      await settled();
      return answer;
    },
    async answerLate(call, answer) {
      const each = arrived.find((one) => one.call === call && one.givenUp && !one.answered);
      if (!each) throw new Error(`No ${call} was given up.`);
      each.answered = true;
      // The browser has stopped listening, and says so.
      await give(page, each.held, answer).catch(() => {});
      await settled();
    },
    elapse: (milliseconds) => page.evaluate((ms) => window.testApp.elapse(ms), milliseconds),
    internals: () => page.evaluate(() => window.testApp.internals()),
    inspection: () => page.evaluate(() => window.testApp.inspection()),
    async observe() {
      const onScreen = await page.evaluate(observeScreen, Object.values(forms));
      return {
        ...onScreen,
        logged: await page.evaluate(() => window.testApp.logged()),
        calls: countRequests(arrived, pending, (last) => last.sent),
      };
    },
  };
}

/** Answers a call that the page waits for. */
export async function give(page: Page, held: Held, answer: BackendResponse): Promise<void> {
  if (answer === 'none') return held.abort('internetdisconnected');
  if (answer === 'fault') {
    await page.evaluate(() => {
      const { prototype } = Response;
      const text = Object.getOwnPropertyDescriptor(prototype, 'text')!;
      prototype.text = () => {
        Object.defineProperty(prototype, 'text', text);
        throw new Error('a fault');
      };
    });
    return held.fulfill({ status: 200, json: {} });
  }
  const { status, text, body } = answer;
  return text === undefined
    ? held.fulfill({ status, json: body })
    : held.fulfill({ status, contentType: 'text/html', body: text });
}

function sentIn(request: Request): unknown {
  const text = request.postData();
  return text ? JSON.parse(text) : undefined;
}

function typeOf(path: string): string {
  const types: Record<string, string> = {
    html: 'text/html',
    js: 'text/javascript',
    css: 'text/css',
    png: 'image/png',
  };
  return types[path.split('.').at(-1)!] ?? 'application/octet-stream';
}
