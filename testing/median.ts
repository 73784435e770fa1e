export function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
}

/** Returns the median of each field of several measurements. */
export function medians<Figures extends Record<string, number>>(measured: Figures[]): Figures {
  const names = Object.keys(measured[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, median(measured.map((figures) => figures[name]!))]),
  ) as Figures;
}
