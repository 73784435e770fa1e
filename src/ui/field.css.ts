import { style } from '@vanilla-extract/css';
import { color, motion, radius, space, text } from '../styles/tokens.css.ts';
import { stopBeside } from '../styles/track.ts';

/** A stop that is filled while one is there, and red while something is in the way. */
export const field = style({
  position: 'relative',
  display: 'grid',
  gap: space.hair,
  '::before': {
    ...stopBeside('0.75rem', 0.875),
    transition: `background ${motion.quick}, border-color ${motion.quick}`,
  },
  selectors: {
    '&:focus-within::before': { background: color.accent },
    '&:has([aria-invalid="true"])::before': {
      borderColor: color.critical,
      background: color.critical,
    },
  },
});

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
  textOverflow: 'ellipsis',
  selectors: {
    // Twice as thick, so that it is told apart by more than its colour, and the text stays where it is.
    '&[aria-invalid="true"]': {
      borderWidth: 2,
      borderColor: color.critical,
      padding: `calc(${space.small} - 1px) calc(0.75rem - 1px)`,
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
  fontWeight: 600,
});
