import { style } from '@vanilla-extract/css';

/** Hides text from view, but not from screen readers. */
export const hiddenFromView = {
  position: 'absolute',
  width: 1,
  height: 1,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
  whiteSpace: 'nowrap',
} as const;

export const visuallyHidden = style(hiddenFromView);
