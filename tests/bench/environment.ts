import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** Returns a paragraph about the date, the machine and its load. */
export function environment(): string {
  const cpuCount = availableParallelism();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, Node ${process.version}, ${cpuCount} × ${cpus()[0]?.model.trim()}, ${gigabytes} GB.
Load average at the end: ${loadavg()[0]?.toFixed(1)}. Above ${cpuCount}, processes waited for a CPU.`;
}
