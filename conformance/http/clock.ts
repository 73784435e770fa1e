/** How late a project, an account or a session may work before it counts as lost. */
export const lateMs = 1000;

/** Measures durations, ends requests without a response, and waits. Tests simulate it. */
export type Clock = {
  now: () => number;
  setTimeout: (callback: () => void, delayMs: number) => number;
  clearTimeout: (id: number) => void;
  sleep: (delayMs: number) => Promise<void>;
};

export const realClock: Clock = {
  now: () => performance.now(),
  setTimeout: (callback, delayMs) => Number(setTimeout(callback, delayMs)),
  clearTimeout,
  sleep: (delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs)),
};
