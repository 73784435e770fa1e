import { StoreUnavailable } from './database.ts';

/**
 * Returns a function that runs the tasks of a key one after another, in the order of its calls, so
 * that a locked row holds one connection, however many tasks wait for it. If the database fails a
 * task, those that wait for their turn fail too, because each would wait as long.
 */
export function createTurns() {
  const lastTurns = new Map<string, Promise<unknown>>();

  return async function inTurn<T>(key: string, task: () => Promise<T>): Promise<T> {
    const turn = waitFor(lastTurns.get(key)).then(task);
    lastTurns.set(key, turn);
    try {
      return await turn;
    } finally {
      if (lastTurns.get(key) === turn) lastTurns.delete(key);
    }
  };
}

async function waitFor(turn: Promise<unknown> | undefined) {
  try {
    await turn;
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
  }
}
