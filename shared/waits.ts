let defaultLimitMs = Infinity;

/** Sets how long `within` waits. Tests set it, because a test that hangs should say why. */
export function limitWaits(milliseconds: number): void {
  defaultLimitMs = milliseconds;
}

/** Resolves like `promise`. Throws what it waits for if that takes longer than the limit. */
export async function within<Value>(
  what: string,
  promise: Promise<Value>,
  limitMs = defaultLimitMs,
): Promise<Value> {
  if (limitMs === Infinity) return promise;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`waits for ${what}: ${limitMs} ms`)), limitMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
