/**
 * Returns the error of a field whose text the browser cannot read, such as half a date. The value
 * of such a field is empty, and setting it would remove the text.
 */
export const unreadableError = ({
  value,
  validity,
  labels,
}: HTMLInputElement | HTMLTextAreaElement): string | undefined =>
  value === '' && validity.badInput ? `${labels?.[0]?.textContent} is not valid` : undefined;
