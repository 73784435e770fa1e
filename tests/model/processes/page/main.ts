/** The app as `src/main.tsx` starts it, with a clock that a test moves and with its actors in view. */
import '../../../../src/styles/global.css.ts';
import { createRoot, type Root } from 'react-dom/client';
import { SimulatedClock } from 'xstate';
import { isAuthenticated, role } from '../../../../machines/auth.ts';
import { createApp } from '../../../../src/app.tsx';
import { createInspector, type Inspection } from '../../../../model/inspection.ts';

export type Inside = {
  /** Ends the app and starts it anew on a route, as a reload does, and faster. */
  restart: (route: string) => void;
  elapse: (milliseconds: number) => void;
  known: () => Promise<{ authenticated: boolean; role: string | undefined }>;
  did: () => Inspection;
  logged: () => string[];
};

declare global {
  interface Window {
    inside: Inside;
  }
}

type Running = ReturnType<typeof start> & { root: Root };

function start() {
  const clock = new SimulatedClock();
  const { inspect, take } = createInspector();
  const logged: string[] = [];
  const app = createApp({ clock, inspect, log: (what) => logged.push(what) });
  return { app, clock, take, logged };
}

function shown(): Running {
  const root = createRoot(document.querySelector('#root')!);
  const running = start();
  root.render(running.app.element);
  return { ...running, root };
}

let running = shown();

window.inside = {
  restart(route) {
    running.root.unmount();
    running.app.stop();
    history.replaceState(null, '', `#${route}`);
    running = shown();
  },
  elapse(milliseconds) {
    for (let passed = 0; passed < milliseconds; passed++) running.clock.increment(1);
  },
  async known() {
    const { auth } = await running.app.actors();
    const snapshot = auth.getSnapshot();
    return { authenticated: isAuthenticated(snapshot), role: role(snapshot) };
  },
  did: () => running.take(),
  logged: () => running.logged,
};
