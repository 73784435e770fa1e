/** What the contract says of a field that a request sends. */
export type FieldRule = {
  isRequired: boolean;
  /** Of a password, whose length counts in one Unicode form. */
  format?: string;
  minLength?: number;
  maxLength?: number;
};

/** Returns the length that the limits count: code points, so that an emoji is one character. */
export const lengthOf = ({ format }: FieldRule, text: string): number =>
  // An accent that a device types as a character of its own counts with its letter.
  Array.from(format === 'password' ? text.normalize() : text).length;

/**
 * Returns what is wrong with a text of a field, as a sentence without its period; undefined if
 * nothing is. There is no maximum for the app, because the backend decides it.
 */
export function errorOf(rule: FieldRule, label: string, text: string): string | undefined {
  if (text === '') return rule.isRequired ? `${label} is required` : undefined;
  const { minLength = 0 } = rule;
  return lengthOf(rule, text) < minLength
    ? `${label} must be at least ${minLength} characters`
    : undefined;
}
