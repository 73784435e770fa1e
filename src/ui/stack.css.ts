import { style } from '@vanilla-extract/css';
import { color, space, text, width } from '../styles/tokens.css.ts';

export const stack = style({ display: 'grid', gap: space.large, minWidth: 0 });

export const column = style([stack, { maxWidth: width.form, margin: '0 auto' }]);

export const heading = style({ display: 'grid', gap: space.hair });

export const subtitle = style({ color: color.textMuted, fontSize: text.lead });

export const announcement = style({
  position: 'absolute',
  width: 1,
  height: 1,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
  whiteSpace: 'nowrap',
});
