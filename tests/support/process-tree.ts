/** Signals and measures processes with all their descendants. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** Returns a process and its descendants. */
export function processTree(root: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Boolean);
  const parents = new Map(pids.map((pid) => [pid, statusOf(pid)?.parent]));
  const withChildren = (parent: number): number[] => [
    parent,
    ...pids.filter((pid) => parents.get(pid) === parent).flatMap(withChildren),
  ];
  return withChildren(root);
}

export function signalTree(pid: number, signal: NodeJS.Signals) {
  for (const each of processTree(pid)) sendSignal(each, signal);
}

/** Kills a process and its descendants. Resolves when they have ended. */
export async function killTree(pid: number) {
  sendSignal(pid, 'SIGSTOP'); // so that it starts no further process
  const pids = processTree(pid);
  for (const each of pids) sendSignal(each, 'SIGKILL');
  while (pids.some((each) => (statusOf(each)?.state ?? 'Z') !== 'Z')) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Returns the processor time of a process and its descendants, ended ones included. */
export function processorMs(pid: number): number {
  const ticks = processTree(pid).map((each) => statusOf(each)?.ticks ?? 0);
  return (ticks.reduce((sum, value) => sum + value, 0) * 1000) / ticksPerSecond;
}

function sendSignal(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already ended, for example because its disk is gone.
  }
}

/** Returns undefined if the process does not exist. */
export function statusOf(pid: number) {
  try {
    // Skips the name of the process, which may contain spaces and parentheses.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const ticks = fields.slice(11, 15).reduce((sum, value) => sum + Number(value), 0);
    return { state: fields[0] ?? 'Z', parent: Number(fields[1]), ticks };
  } catch {
    return undefined;
  }
}
