import type contract from '../generated/contract.json';

type ExamplesOf<Operation> = Operation extends { responses: infer Responses }
  ? {
      [Status in keyof Responses]: Responses[Status] extends {
        content: { 'application/json': { examples: infer Examples } };
      }
        ? keyof Examples
        : never;
    }[keyof Responses]
  : never;

type ValueOf<Table> = Table extends Table ? Table[keyof Table] : never;

/**
 * The name of an example in openapi.yaml, which has the status and the message: that of the
 * operation, or of another one if its responses have none.
 */
export type RefusalName = ExamplesOf<ValueOf<ValueOf<(typeof contract)['paths']>>>;

/** An error response. The message is shown to the user. */
export interface RefusalResponse {
  status: number;
  message: string;
  headers?: Record<string, string>;
}

/** Thrown to refuse a request, with an example of the contract or with a response of its own. */
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
