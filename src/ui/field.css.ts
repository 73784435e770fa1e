import { style } from '@vanilla-extract/css';
import { color, radius, space, text } from '../styles/tokens.css.ts';

export const field = style({ display: 'grid', gap: space.hair });

export const label = style({ fontWeight: 600, justifySelf: 'start' });

export const control = style({
  width: '100%',
  minHeight: '2.75rem',
  padding: `${space.small} 0.75rem`,
  border: `1px solid ${color.control}`,
  borderRadius: radius.control,
  background: color.surface,
  color: color.text,
  font: 'inherit',
  selectors: {
    '&[aria-invalid="true"]': {
      borderColor: color.critical,
      boxShadow: `inset 0 0 0 1px ${color.critical}`,
    },
    'textarea&': { resize: 'vertical' },
  },
  '::placeholder': { color: color.textMuted, opacity: 1 },
});

/** Its line is there before there is an error, so that a button below does not move away from under a click. */
export const error = style({
  minHeight: '1.3125rem',
  color: color.critical,
  fontSize: text.small,
  lineHeight: 1.5,
});
