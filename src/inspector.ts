import contract from '../generated/contract.json' with { type: 'json' };
import type { Inspect } from './actors.ts';

/** The name that `@statelyai/inspect` gives to its window. */
const windowName = 'xstateinspector';

/**
 * Opens the Stately inspector in a window of its own if the address contains `?inspect`. Returns
 * the option that connects the actors. Called in development only.
 */
export function openInspector(): { inspect?: Inspect } {
  if (!/[?&]inspect\b/.test(location.href)) return {};
  const connecting = import('@statelyai/inspect').then(({ createBrowserInspector }) => {
    const inspector = createBrowserInspector({
      autoStart: false,
      serialize: hide(passwordFields()),
    });
    // Browsers block a window that opens without a user action, unless the user has allowed it.
    if (open('', windowName)) {
      inspector.start();
    } else {
      console.info('The browser blocks the window of the inspector: click the page to open it.');
      addEventListener('click', () => inspector.start(), { once: true });
    }
    return inspector.inspect;
  });
  return {
    inspect: (event) => void connecting.then(({ next }) => next?.(event)),
  };
}

/** Returns the names of the fields that the contract calls passwords. */
function passwordFields(): Set<string> {
  const names = new Set<string>();
  JSON.stringify(contract, (name, value: unknown) => {
    if (value && (value as { format?: unknown }).format === 'password') names.add(name);
    return value;
  });
  return names;
}

/**
 * Returns a function that copies events without these fields. The copy is sent to the inspector,
 * which is a page of another site.
 */
const hide =
  (names: Set<string>) =>
  <Event>(event: Event): Event =>
    JSON.parse(
      JSON.stringify(event, (key, value: unknown) => (names.has(key) ? '(hidden)' : value)),
    ) as Event;
