import { setImmediate as nextTurn } from 'node:timers/promises';

const most = 16; // keys of one question

/**
 * Puts what is asked within one turn of the event loop to the database in one question: under load, the way there and back
 * costs more than another row. `ask` gets 1 or 16 keys, so that there are two statements to prepare; some may stand there twice.
 */
export function batchLookups<Answer>(
  ask: (keys: string[]) => Promise<Map<string, Answer>>,
): (key: string) => Promise<Answer | undefined> {
  let open: { keys: Set<string>; answers: Promise<Map<string, Answer>> } | undefined;

  async function askAll(keys: Set<string>): Promise<Map<string, Answer>> {
    await nextTurn();
    open = undefined;
    return ask(keys.size === 1 ? [...keys] : padded([...keys]));
  }

  return async (key) => {
    if (!open || open.keys.size === most) {
      const keys = new Set([key]);
      open = { keys, answers: askAll(keys) };
    }
    open.keys.add(key);
    return (await open.answers).get(key);
  };
}

function padded(keys: string[]): string[] {
  return Array.from({ length: most }, (_, i) => keys[i % keys.length] as string);
}
