/** Makes a test that hangs say what it waits for. */
import { subscribe } from 'node:diagnostics_channel';
import { afterEach } from 'vitest';
import { limitWaits } from '../shared/waits.ts';
import { maxWaitMs } from './time-limits.ts';

limitWaits(maxWaitMs);

type Message = { request: { method: string; origin: string; path: string } };

// Test files share modules and globals, but each runs this file.
const shared = globalThis as { requestsInFlight?: Set<Message['request']> };
const requests = (shared.requestsInFlight ??= recordRequests());

afterEach(({ task }) => {
  for (const error of task.result?.errors ?? []) {
    if (!error.message.startsWith('Test timed out')) continue;
    const waits = Array.from(requests, ({ method, origin, path }) => `${method} ${origin}${path}`);
    if (waits.length > 0) error.message += `\nIt waits for the response to ${waits.join(', ')}.`;
  }
  requests.clear();
});

/** Returns the requests of `fetch` that have no response yet. */
function recordRequests() {
  const pending = new Set<Message['request']>();
  subscribe('undici:request:create', (message) => pending.add((message as Message).request));
  for (const end of ['headers', 'error'])
    subscribe(`undici:request:${end}`, (message) => pending.delete((message as Message).request));
  return pending;
}
