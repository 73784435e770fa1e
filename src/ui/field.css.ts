import { style } from '@vanilla-extract/css';
import { color, radius, space, text } from '../styles/tokens.css.ts';
import { lineMarker } from '../styles/decorative-line.ts';

/** Its marker is filled while the field has the focus, and red while the field has an error. */
export const fieldGroup = style({
  position: 'relative',
  display: 'flex',
  flexDirection: 'column',
  gap: space.hair,
  '::before': lineMarker('0.75rem', 0.875),
  selectors: {
    '&:focus-within::before': { background: color.accent },
    '&:has([aria-invalid="true"])::before': {
      borderColor: color.critical,
      background: color.critical,
    },
  },
});

export const label = style({ fontWeight: 600, alignSelf: 'start' });

export const control = style({
  // A field that takes the focus is scrolled into view with its error.
  scrollMarginBottom: '4rem',
  width: '100%',
  minHeight: '2.75rem',
  padding: `${space.small} 0.75rem`,
  border: `1px solid ${color.control}`,
  borderRadius: radius.control,
  background: color.surface,
  color: color.text,
  font: 'inherit',
  textOverflow: 'ellipsis',
  selectors: {
    // Thicker, so that it differs by more than its colour. The padding keeps the text in place.
    '&[aria-invalid="true"]': {
      borderWidth: 2,
      borderColor: color.critical,
      padding: `calc(${space.small} - 1px) calc(0.75rem - 1px)`,
    },
    'textarea&': { resize: 'vertical' },
  },
  // Fits on the smallest phones, because Chromium shows no ellipsis in a focused field.
  '::placeholder': { color: color.textMuted, opacity: 1, fontSize: 'min(1rem, 4.5vw)' },
});

/** Reserves its line, so that an error does not move the button below away from a click. */
export const fieldError = style({
  minHeight: '1.3125rem',
  color: color.critical,
  fontSize: text.small,
  fontWeight: 600,
  textWrap: 'balance',
});
