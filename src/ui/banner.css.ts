import { style } from '@vanilla-extract/css';
import { color, radius, space } from '../styles/tokens.css.ts';
import { stopBeside } from '../styles/track.ts';

/** A signal at danger: what is in the way stands on the line too. */
export const banner = style({
  position: 'relative',
  padding: `0.75rem ${space.medium}`,
  borderRadius: radius.control,
  // Forced colours drop the fill; the border then carries the shape.
  border: `1px solid ${color.critical}`,
  background: color.criticalFill,
  color: color.onCriticalFill,
  fontWeight: 600,
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  '::before': {
    ...stopBeside('1.5rem'),
    marginLeft: -1,
    borderColor: color.critical,
    background: color.critical,
  },
});
