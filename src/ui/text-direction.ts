/**
 * Longer texts have one direction. For shorter ones, `dir="auto"` lets each line have its own. With
 * it, Chromium takes seconds for each layout of a line of a megabyte, so for each key.
 */
const maxAutoLength = 10_000;

const strong = /[\p{L}\u200E\u200F\u061C]/u;

/** The blocks of Unicode whose letters are written from right to left, and two marks. */
const rightToLeft =
  /[\u0590-\u08FF\u200F\uFB1D-\uFDFF\uFE70-\uFEFF\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** Returns the direction of a text as a value of the attribute `dir`. */
export function directionOf(text: string): 'auto' | 'ltr' | 'rtl' {
  if (text.length <= maxAutoLength) return 'auto';
  return rightToLeft.test(strong.exec(text)?.[0] ?? '') ? 'rtl' : 'ltr';
}
