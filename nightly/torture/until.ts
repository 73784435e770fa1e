import { setTimeout as delay } from 'node:timers/promises';

const maxSeconds = 120;

/** Calls `isDone` until it returns true. Throws after two minutes. */
export async function until(goal: string, isDone: () => Promise<boolean>) {
  const endMs = performance.now() + maxSeconds * 1000;
  while (!(await isDone())) {
    if (performance.now() > endMs) throw new Error(`Waited ${maxSeconds} s until ${goal}.`);
    await delay(100);
  }
}
