/** What the pages about measurements share: which machine it was, tables, medians. */
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** A paragraph: when, on what, and how busy it was. */
export function circumstances(): string {
  return `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model.trim()},
${Math.round(totalmem() / 2 ** 30)} GB, load average at the end ${loadavg()[0]?.toFixed(1)} (above ${availableParallelism()}, others took their part).`;
}

/** Markdown. */
export function table(head: string[], rows: string[][]): string {
  const line = (row: string[]) => `| ${row.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
}
