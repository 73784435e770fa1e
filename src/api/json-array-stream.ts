/**
 * Parses a JSON array while its text arrives. Each `}` may end an item, so the text up to one of
 * the last `}` is given to `JSON.parse`, which rejects a wrong guess.
 */
export type JsonArrayStream<Item> = {
  /** All items received so far, in one array that grows. */
  items: Item[];
  /** Adds the next chunk of text. Throws when an item fails `isItem`. */
  write: (chunk: string) => void;
  /** Ends the text. Throws when the text as a whole is not a JSON array of items. */
  end: () => void;
};

const maxAttemptsPerChunk = 3;

export function createJsonArrayStream<Item>(
  isItem: (value: unknown) => value is Item,
): JsonArrayStream<Item> {
  const items: Item[] = [];
  let buffer = '';
  /** Replaces the text that has left the buffer: an open array with one dummy item. */
  let prefix = '';
  /** Doubles while an item is longer than a chunk, so that parsing it takes linear time. */
  let minBufferLength = 0;

  function append(values: unknown) {
    const added = Array.isArray(values) && values.slice(prefix ? 1 : 0);
    if (!added || !added.every(isItem)) {
      throw new TypeError('The response is not a list of projects.');
    }
    for (const item of added) items.push(item);
  }

  return {
    items,
    write(chunk) {
      buffer += chunk;
      if (buffer.length < minBufferLength) return;
      let end = buffer.length;
      for (let attempt = 0; attempt < maxAttemptsPerChunk; attempt += 1) {
        end = buffer.lastIndexOf('}', end - 1);
        if (end === -1) break;
        const values = tryParseJson(`${prefix}${buffer.slice(0, end + 1)}]`);
        if (values === undefined) continue;
        append(values);
        buffer = buffer.slice(end + 1);
        prefix = '[0';
        minBufferLength = 0;
        return;
      }
      minBufferLength = 2 * buffer.length;
    },
    end: () => append(JSON.parse(prefix + buffer)),
  };
}

/** Returns the parsed value, or undefined for invalid JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
