/**
 * How long a test waits for a change. Far longer than a busy machine needs, so that only a bug
 * waits so long. Shorter in watch mode, where a developer waits for the result.
 */
export const hangLimitMs = process.env['VITEST_MODE'] === 'WATCH' ? 10_000 : 120_000;
