/** The refusals of this server. Status and text of each are those of the example with this name in openapi.yaml. */
export const refusalNames = [
  'malformedJson',
  'wrongCredentials',
  'tooManyAttempts',
  'notSignedIn',
  'xsrfTokenMismatch',
  'emailTaken',
  'keyReused',
  'bodyTooLarge',
  'notJson',
  'internalServerError',
  'unavailable',
] as const;

export type RefusalName = (typeof refusalNames)[number];

/** An answer other than success: the status, and the sentence that the person at the screen reads. */
export interface RefusalAnswer {
  status: number;
  message: string;
  headers?: Record<string, string>;
}

/** Thrown to refuse a request: by the name of an example in the contract, or with an answer of its own. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly reason: RefusalName | RefusalAnswer;
  readonly retryAfter: number | undefined;

  /** `retryAfter`: the seconds after which the request may be tried again. */
  constructor(reason: RefusalName | RefusalAnswer, retryAfter?: number) {
    super(typeof reason === 'string' ? reason : reason.message);
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}
