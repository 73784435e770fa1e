/** An error that the user of a command can fix. The message is one line per problem. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    // Node, Vite and Vitest print the stack, which does not help here.
    this.stack = message;
  }
}

/** Runs a command. After a `UsageError`, prints its message and exits with 1. */
export async function exitOnUsageError(command: () => Promise<void>) {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
