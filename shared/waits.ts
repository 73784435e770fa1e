/** For a program that starts, or a system that recovers, on a busy machine. */
export const maxWaitMs = 120_000;
const pauseMs = 20;

/** Resolves like `promise`. Throws what it waits for if that takes longer than the limit. */
export async function within<Value>(
  what: string,
  promise: Promise<Value>,
  limitMs = maxWaitMs,
): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`waits for ${what}: ${limitMs} ms`)), limitMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Calls `isDone` until it returns true. Throws what it waits for after the limit. */
export async function waitFor(
  what: string,
  isDone: () => boolean | Promise<boolean>,
  limitMs = maxWaitMs,
): Promise<void> {
  const late = new AbortController();
  const poll = async () => {
    while (!late.signal.aborted && !(await isDone())) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  await within(what, poll(), limitMs).finally(() => late.abort());
}
