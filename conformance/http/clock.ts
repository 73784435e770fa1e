/** Measures durations and ends requests without a response. The self-test simulates it. */
export type Clock = {
  now: () => number;
  setTimeout: (callback: () => void, delayMs: number) => number;
  clearTimeout: (id: number) => void;
};

export const realClock: Clock = {
  now: () => performance.now(),
  setTimeout: (callback, delayMs) => Number(setTimeout(callback, delayMs)),
  clearTimeout,
};
