/**
 * Calls of an actor that end when the test says so: `end` and `fail` end the first call that has
 * not ended yet, and resolve once whoever waited for it has taken note.
 */
export function deferredCalls<Output, Input = unknown>() {
  const inputs: Input[] = [];
  const signals: AbortSignal[] = [];
  const open: PromiseWithResolvers<Output>[] = [];

  async function ended(act: (call: PromiseWithResolvers<Output>) => void): Promise<void> {
    const call = open.shift();
    if (!call) throw new Error('No call is waiting for an answer.');
    act(call);
    await call.promise.catch(() => {});
    // The actor's own handlers were attached to this promise and to one derived from it: both have
    // run after these turns.
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }

  return {
    inputs,
    signals,
    /** The promise creator to supply. */
    start: ({ input, signal }: { input: Input; signal: AbortSignal }): Promise<Output> => {
      const call = Promise.withResolvers<Output>();
      inputs.push(input);
      signals.push(signal);
      open.push(call);
      return call.promise;
    },
    end: (output: Output) => ended((call) => call.resolve(output)),
    fail: (error: unknown) => ended((call) => call.reject(error)),
  };
}
