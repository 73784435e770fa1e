/**
 * How long tests wait. No test waits until a limit expires, so the limits cost nothing when tests
 * pass, and allow for a busy machine. A wait that fails says what it waits for.
 */

/** A wait for one change of a screen or of a server. */
export const maxWaitMs = Number(process.env['TRACKER_TEST_WAIT_MS'] ?? 30_000);

/** A wait for a browser, a program or a response, of which several share the cores. */
export const longWaitMs = 4 * maxWaitMs;
