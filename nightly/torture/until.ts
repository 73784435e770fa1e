import { setTimeout as delay } from 'node:timers/promises';

/** Calls `isDone` until it returns true. Throws after `maxSeconds`. */
export async function until(goal: string, isDone: () => Promise<boolean>, maxSeconds = 120) {
  const endMs = performance.now() + maxSeconds * 1000;
  while (!(await isDone())) {
    if (performance.now() > endMs) throw new Error(`Waited ${maxSeconds} s until ${goal}.`);
    await delay(100);
  }
}
