import { waitFor } from 'xstate';
import { createApi } from '../../src/api/api.ts';
import type { Exchange } from '../http/client.ts';
import type { SimulatedBrowser } from '../http/simulated-browser.ts';
import type { AppBrowser } from './app.ts';
import { createHeadlessApp } from '../../model/headless-app.ts';

/** Returns a browser that runs the app's own client and machines, without screens. */
export function createHeadlessBrowser(
  browser: SimulatedBrowser,
  onExchange: (exchange: Exchange) => void,
): AppBrowser {
  return {
    async open() {
      const api = createApi({
        origin: browser.http.origin,
        cookies: () => browser.documentCookies(),
        fetch: (request) => browser.fetch(request, { onExchange }),
      });
      const app = createHeadlessApp(api);
      const isIdle = ({ children }: { children: object }) => Object.keys(children).length === 0;
      return {
        ...app,
        async settle() {
          // In this order, because a sign-in that succeeds opens the projects.
          await waitFor(app.auth, isIdle);
          await waitFor(app.projects, isIdle);
          return app.observe();
        },
        async close() {
          app.auth.stop();
          app.projects.stop();
        },
      };
    },
  };
}
