/** A change of one file: the text from `start` to `end` becomes `text`. */
export type Mutant = { file: string; name: string; start: number; end: number; text: string };

export type Result = { name: string; survived: boolean; line?: number };

/** Returns code on one line, shortened. */
export function excerpt(code: string): string {
  const line = code.replaceAll(/\s+/g, ' ').trim();
  return line.length > 70 ? `${line.slice(0, 67)}...` : line;
}

/** Returns a function that adds a number to every name that it has had before. */
export function numbered(): (name: string) => string {
  const counts = new Map<string, number>();
  return (name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count > 1 ? `${name} (${count})` : name;
  };
}
