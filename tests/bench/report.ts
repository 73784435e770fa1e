/** Parts of the pages with benchmark results. */
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** Returns a sentence about the date, the machine and its load. */
export function environment(): string {
  const cpuCount = availableParallelism();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, Node ${process.version}, ${cpuCount} × ${cpus()[0]?.model.trim()}, ${gigabytes} GB.
Load average at the end: ${loadavg()[0]?.toFixed(1)}. Above ${cpuCount}, processes waited for a CPU.`;
}

export function markdownTable(head: string[], rows: string[][]): string {
  const line = (row: string[]) => `| ${row.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

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
