import { style } from '@vanilla-extract/css';
import { color, radius, space } from '../styles/tokens.css.ts';

export const banner = style({
  padding: `0.75rem ${space.medium}`,
  borderRadius: radius.control,
  // Forced colours drop the fill; the border then carries the shape.
  border: `1px solid ${color.criticalFill}`,
  background: color.criticalFill,
  color: color.onCriticalFill,
  fontWeight: 600,
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
});
