import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { readCommandLine } from '../../tools/command-line.ts';

/**
 * Reads the command line of a benchmark. Returns the first paragraph of its page: the date, the
 * machine and its other work.
 */
export function startBenchmark(help: string): string {
  readCommandLine(help);
  const [loadAverage = 0] = loadavg();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const machine = `${availableParallelism()} × ${cpus()[0]?.model.trim()}, ${gigabytes} GB`;
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, Node ${process.version}, ${machine}.
Load average before the measurement: ${loadAverage.toFixed(1)}.`;
}
