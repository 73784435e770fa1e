/**
 * Reads the JSON of an array while it arrives, piece by piece, with the browser's own parser: whatever ends in a `}` may be the end
 * of an item, and the parser says whether it is one.
 */
export type JsonArrayStream<Item> = {
  /** All that has arrived so far, in one array that grows. */
  items: Item[];
  /** Takes the next piece of the text. Throws where an item is not one. */
  add: (text: string) => void;
  /** There is no more. Throws where the text as a whole was not the JSON of such an array. */
  end: () => void;
};

const tries = 3;

export function createJsonArrayStream<Item>(
  isItem: (value: unknown) => value is Item,
): JsonArrayStream<Item> {
  const items: Item[] = [];
  let rest = '';
  /** What stands for all that was taken from `rest` already. */
  let before = '';
  /** An item that is longer than a piece is looked at again when there is twice as much of it. */
  let enough = 0;

  function take(values: unknown) {
    if (!Array.isArray(values)) throw new TypeError('The answer is not a list of projects.');
    const news: unknown[] = before ? values.slice(1) : values;
    if (!news.every(isItem)) throw new TypeError('The answer is not a list of projects.');
    for (const item of news) items.push(item);
  }

  return {
    items,
    add(text) {
      rest += text;
      if (rest.length < enough) return;
      let end = rest.length;
      for (let left = tries; left > 0; left -= 1) {
        end = end > 0 ? rest.lastIndexOf('}', end - 1) : -1;
        if (end === -1) break;
        const values = parsed(`${before}${rest.slice(0, end + 1)}]`);
        if (values === undefined) continue;
        take(values);
        rest = rest.slice(end + 1);
        before = '[0';
        enough = 0;
        return;
      }
      enough = 2 * rest.length;
    },
    end: () => take(JSON.parse(before + rest)),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
