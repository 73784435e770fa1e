import { style } from '@vanilla-extract/css';
import { color, radius, space } from '../styles/tokens.css.ts';

export const form = style({
  display: 'grid',
  gap: space.small,
  padding: space.large,
  border: `1px solid ${color.line}`,
  borderTop: `0.1875rem solid ${color.accent}`,
  borderRadius: radius.card,
  background: color.surface,
});
