/** How long a test waits for a change. Longer than a busy machine needs: only a bug waits so long. */
export const hangLimitMs = 180_000;
