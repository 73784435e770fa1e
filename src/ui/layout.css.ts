import { globalStyle, style } from '@vanilla-extract/css';
import { color, space, text, width } from '../styles/tokens.css.ts';
import { stopBeside } from '../styles/track.ts';

export const stack = style({ display: 'grid', gap: space.large, minWidth: 0 });

export const narrow = style([stack, { maxWidth: width.form }]);

/** The stop at which one changes: larger than the others, and filled when one has just arrived. */
export const heading = style({
  position: 'relative',
  display: 'grid',
  gap: space.hair,
  '::before': stopBeside(`${text.title} * 0.6`, 1.5),
  selectors: { '&:focus-within::before': { background: color.accent } },
  '@media': {
    // Forced colours drop every fill that is not one of theirs.
    '(forced-colors: active)': {
      selectors: { '&:focus-within::before': { background: 'CanvasText' } },
    },
  },
});

/** It takes the focus when the route changes. It is nothing that can be operated: its stop on the track shows it. */
globalStyle(`${heading} > h1:focus`, { outline: 'none' });

export const subtitle = style({ color: color.textMuted, fontSize: text.lead });

export const announcement = style({
  position: 'absolute',
  width: 1,
  height: 1,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
  whiteSpace: 'nowrap',
});
