/** What a row of the contract says of a text that a request sends. */
export type FieldRule = {
  isRequired: boolean;
  /** Of a password, whose length counts in one Unicode form. */
  format?: string;
  minLength?: number;
  maxLength?: number;
  /** `x-trimmed`: white space at both ends does not count, and is not sent. */
  isTrimmed?: boolean;
  /** `x-app-maximum`: the app refuses a longer text itself. Otherwise the backend decides. */
  hasAppMaximum?: boolean;
};

/** What is wrong with a text, without the period. */
export const fieldMessages = {
  required: (label: string) => `${label} is required`,
  minLength: (label: string, limit: number) => `${label} must be at least ${limit} characters`,
  maxLength: (label: string, limit: number) => `${label} must be at most ${limit} characters`,
};

export const textToSend = (rule: FieldRule | undefined, text: string): string =>
  rule?.isTrimmed ? text.trim() : text;

/** Returns the length that the limits count: code points, so that an emoji is one character. */
export const lengthOf = ({ format }: FieldRule, text: string): number =>
  // An accent that a device types as a character of its own counts with its letter.
  Array.from(format === 'password' ? text.normalize() : text).length;

/** Returns what the app says of a text in a field; undefined if nothing is wrong. */
export function errorOf(rule: FieldRule, label: string, typed: string): string | undefined {
  const text = textToSend(rule, typed);
  if (text === '') return rule.isRequired ? fieldMessages.required(label) : undefined;
  const { minLength = 0, maxLength = Infinity, hasAppMaximum } = rule;
  const length = lengthOf(rule, text);
  if (length < minLength) return fieldMessages.minLength(label, minLength);
  if (hasAppMaximum && length > maxLength) return fieldMessages.maxLength(label, maxLength);
  return undefined;
}
