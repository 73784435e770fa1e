/**
 * Returns calls of an actor that a test ends by hand. `end` and `fail` end the oldest pending
 * call and resolve when the actor has processed its result.
 */
export function deferredCalls<Output, Input = unknown>() {
  const inputs: Input[] = [];
  const signals: AbortSignal[] = [];
  const pending: PromiseWithResolvers<Output>[] = [];

  async function settle(end: (call: PromiseWithResolvers<Output>) => void): Promise<void> {
    const call = pending.shift();
    if (!call) throw new Error('No call is pending.');
    end(call);
    await call.promise.catch(() => {});
    // The actor's handlers are attached to this promise and to one derived from it.
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }

  return {
    inputs,
    signals,
    /** The promise creator to provide. */
    start: ({ input, signal }: { input: Input; signal: AbortSignal }): Promise<Output> => {
      const call = Promise.withResolvers<Output>();
      inputs.push(input);
      signals.push(signal);
      pending.push(call);
      return call.promise;
    },
    end: (output: Output) => settle((call) => call.resolve(output)),
    fail: (error: unknown) => settle((call) => call.reject(error)),
  };
}
