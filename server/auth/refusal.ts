import type { RefusalName } from '../../generated/operations.ts';

/** An error response. The message is shown to the user. */
export interface RefusalResponse {
  status: number;
  message: string;
  headers?: Record<string, string>;
}

/**
 * Thrown to refuse a request, with an example of the contract or with a response of its own. The
 * example is that of the operation, or of another one if its responses have none.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly reason: RefusalName | RefusalResponse;
  readonly retryAfterSeconds: number | undefined;

  constructor(reason: RefusalName | RefusalResponse, retryAfterSeconds?: number) {
    super(typeof reason === 'string' ? reason : reason.message);
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
