/** The app as `src/main.tsx` starts it, with a clock that a test moves and with its actors in view. */
import '../../../../src/styles/global.css.ts';
import { createRoot } from 'react-dom/client';
import { SimulatedClock } from 'xstate';
import { isAuthenticated, role } from '../../../../machines/auth.ts';
import { createApp } from '../../../../src/app.tsx';
import { observer, type Observed } from '../../observed.ts';

export type Inside = {
  elapse: (milliseconds: number) => void;
  known: () => { authenticated: boolean; role: string | undefined };
  did: () => Observed;
  logged: string[];
};

declare global {
  interface Window {
    inside: Inside;
  }
}

const clock = new SimulatedClock();
const { inspect, take } = observer();
const logged: string[] = [];
const app = createApp({ clock, inspect, log: (what) => logged.push(what) });

window.inside = {
  elapse(milliseconds) {
    for (let passed = 0; passed < milliseconds; passed++) clock.increment(1);
  },
  known() {
    const snapshot = app.auth.getSnapshot();
    return { authenticated: isAuthenticated(snapshot), role: role(snapshot) };
  },
  did: take,
  logged,
};

createRoot(document.querySelector('#root')!).render(app.element);
