import { style } from '@vanilla-extract/css';
import { color, radius, space } from '../styles/tokens.css.ts';
import { lineMarker } from '../styles/decorative-line.ts';

export const banner = style({
  position: 'relative',
  padding: `0.75rem ${space.medium}`,
  borderRadius: radius.control,
  // Visible in forced colours, which drop the fill.
  border: `1px solid ${color.critical}`,
  background: color.criticalFill,
  color: color.onCriticalFill,
  fontWeight: 600,
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  textWrap: 'balance',
  unicodeBidi: 'plaintext',
  '::before': {
    ...lineMarker('1.5rem'),
    marginLeft: -1,
    borderColor: color.critical,
    background: color.critical,
  },
});
