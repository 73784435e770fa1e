/** Starts the app like `src/boot/main.tsx`, on a simulated clock and with its actors inspected. */
import '../../../../src/styles/global.css.ts';
import { createRoot } from 'react-dom/client';
import { isAuthenticated, roleOf } from '../../../../machines/auth.ts';
import { createClock } from '../../../../model/clock.ts';
import { createInspector, type Inspection } from '../../../../model/inspection.ts';
import type { Observation } from '../../../../model/observation.ts';
import { createLastUser } from '../../../../src/last-user.ts';
import { createApp } from '../../../../src/boot/app.tsx';

export type TestApp = {
  /** Restarts the app on a route, like a reload, but faster. */
  restart: (route: string) => void;
  elapse: (milliseconds: number) => void;
  signInElsewhere: (email: string) => void;
  inspection: () => Inspection;
  /** Returns what no screen shows. */
  observe: () => Promise<Pick<Observation, 'logged' | 'authenticated' | 'role'>>;
};

declare global {
  interface Window {
    testApp: TestApp;
  }
}

function start() {
  const clock = createClock();
  const { inspect, take } = createInspector();
  const logged: string[] = [];
  const app = createApp({ clock, inspect, log: (operationId) => logged.push(operationId) });
  const root = createRoot(document.querySelector('#root')!);
  root.render(app.element);
  return { app, clock, take, logged, root };
}

let running = start();

window.testApp = {
  restart(route) {
    running.root.unmount();
    running.app.stop();
    localStorage.clear();
    history.replaceState(null, '', `#${route}`);
    running = start();
  },
  signInElsewhere(email) {
    createLastUser().signIn(email);
    dispatchEvent(new StorageEvent('storage'));
  },
  elapse: (milliseconds) => running.clock.elapse(milliseconds),
  inspection: () => running.take(),
  async observe() {
    const { app, logged } = running;
    const { auth } = await app.actors();
    const snapshot = auth.getSnapshot();
    return { logged, authenticated: isAuthenticated(snapshot), role: roleOf(snapshot) };
  },
};
