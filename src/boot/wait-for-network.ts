const retryIntervalMs = 5_000;

/** Resolves when a request that failed is worth another attempt. */
export const waitForNetwork = () =>
  new Promise((resolve) => {
    addEventListener('online', resolve, { once: true });
    // An outage beyond the user's own network causes no event.
    setTimeout(resolve, retryIntervalMs);
  });
