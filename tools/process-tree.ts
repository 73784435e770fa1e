/** Signals processes with all their descendants. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

function processTree(root: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Boolean);
  const parents = new Map(pids.map((pid) => [pid, statusOf(pid)?.parent]));
  const withChildren = (parent: number): number[] => [
    parent,
    ...pids.filter((pid) => parents.get(pid) === parent).flatMap(withChildren),
  ];
  return withChildren(root);
}

/** Returns the descendant whose command line contains a text. */
export const findDescendant = (root: number, text: string) =>
  processTree(root).find((pid) => statusOf(pid) && commandLine(pid).includes(text));

const commandLine = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8');

export function signalTree(pid: number, signal: NodeJS.Signals) {
  for (const each of processTree(pid)) sendSignal(each, signal);
}

/** Kills a process and its descendants. Resolves when they have ended. */
export async function killTree(pid: number) {
  sendSignal(pid, 'SIGSTOP'); // so that it starts no further process
  const pids = processTree(pid);
  for (const each of pids) sendSignal(each, 'SIGKILL');
  while (pids.some(isRunning)) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export const isRunning = (pid: number) => (statusOf(pid)?.state ?? 'Z') !== 'Z';

function sendSignal(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already ended, for example because its disk is gone.
  }
}

/** Returns undefined if the process does not exist. */
function statusOf(pid: number) {
  try {
    // Skips the name of the process, which may contain spaces and parentheses.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return { state: fields[0] ?? 'Z', parent: Number(fields[1]) };
  } catch {
    return undefined;
  }
}
