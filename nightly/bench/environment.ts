import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { readCommandLine } from '../../tools/command-line.ts';

const maxLoadAverage = 1;
/** An idle machine has less, because its timers and its kernel run too. */
const maxWaitingPercent = 5;
const sampleMs = 1_000;

/** The part of --help that is the same for all benchmarks. */
export const forceHelp = `  --force  measure although the machine has other work. The page then says so.

Without --force, nothing is measured if the load average is above ${maxLoadAverage}, or if processes wait for a
core. Exit code 1: nothing was written.`;

/** What other processes did before a measurement. */
export type OtherWork = {
  /** Mean number of processes that ran or waited in the last minute. */
  loadAverage: number;
  /** Percentage of time in which a process waited for a core. Unknown if not on Linux. */
  waitingPercent: number | undefined;
};

/** Returns what makes a measurement wrong, as part of a sentence. Undefined on an idle machine. */
export function disturbance({ loadAverage, waitingPercent = 0 }: OtherWork): string | undefined {
  const load = `load average of ${loadAverage.toFixed(1)}`;
  if (waitingPercent > maxWaitingPercent)
    return `${load}, and processes waited for a core during ${waitingPercent.toFixed(0)} % of a second`;
  return loadAverage > maxLoadAverage ? load : undefined;
}

/** Returns what is printed in place of a measurement, or undefined to measure. */
export function refusal(work: OtherWork, isForced: boolean): string | undefined {
  const cause = isForced ? undefined : disturbance(work);
  return (
    cause &&
    `The machine has other work (${cause}), so nothing was measured: wait until its load ` +
      `average is at most ${maxLoadAverage}, or pass --force, which the page then mentions.`
  );
}

/** Returns the first paragraph of a page: the date, the machine and its other work. */
export function environment(work: OtherWork): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const machine = `${availableParallelism()} × ${cpus()[0]?.model.trim()}, ${gigabytes} GB`;
  const date = new Date().toISOString().slice(0, 10);
  const cause = disturbance(work);
  return cause
    ? `**Measured beside other work**, with \`--force\`, at a ${cause}.
The figures may be wrong. ${date}, Node ${process.version}, ${machine}.`
    : `${date}, Node ${process.version}, ${machine}.
Load average before the measurement: ${work.loadAverage.toFixed(1)}.`;
}

/**
 * Reads the command line of a benchmark. Returns the first paragraph of its page. Exits with 1 if
 * the machine has other work, unless `--force` is given.
 */
export async function startBenchmark(help: string): Promise<string> {
  const { options } = readCommandLine(help, { options: ['force'] });
  const work = await sampleOtherWork();
  const message = refusal(work, options.has('force'));
  if (message) {
    console.error(message);
    process.exit(1);
  }
  return environment(work);
}

/** Waits a second, because a process that does nothing makes no other process wait. */
async function sampleOtherWork(): Promise<OtherWork> {
  const [loadAverage = 0] = loadavg();
  const beforeMs = waitingMs();
  const startMs = performance.now();
  await delay(sampleMs);
  const afterMs = waitingMs();
  const elapsedMs = performance.now() - startMs;
  return {
    loadAverage,
    waitingPercent:
      beforeMs === undefined || afterMs === undefined
        ? undefined
        : (100 * (afterMs - beforeMs)) / elapsedMs,
  };
}

/** Returns for how long a process of this machine has waited for a core, since it was started. */
function waitingMs(): number | undefined {
  try {
    const [, microseconds] = /^some .*total=(\d+)/.exec(
      readFileSync('/proc/pressure/cpu', 'utf8'),
    )!;
    return Number(microseconds) / 1000;
  } catch {
    return undefined; // not Linux, or a kernel without pressure stall information
  }
}
