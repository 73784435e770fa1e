import { style } from '@vanilla-extract/css';
import { color, font, space, text, width } from '../styles/tokens.css.ts';
import { trackBeside } from '../styles/track.ts';

/** The end of the line: it comes in from above and stops at a buffer, beside the heading. */
export const failure = style({
  position: 'relative',
  display: 'grid',
  gap: space.medium,
  alignContent: 'start',
  width: `calc(100% - 2 * ${space.medium})`,
  maxWidth: width.column,
  minWidth: 0,
  margin: '0 auto',
  padding: `20vh 0 ${space.huge} ${width.track}`,
  '::before': {
    ...trackBeside,
    bottom: 'auto',
    height: `calc(20vh + ${text.title} * 0.6)`,
    borderColor: color.critical,
  },
  '::after': {
    content: '""',
    position: 'absolute',
    top: `calc(20vh + ${text.title} * 0.6)`,
    left: '-0.25rem',
    width: '1.5rem',
    borderTop: `0.375rem solid ${color.critical}`,
  },
});

export const message = style({
  fontFamily: font,
  fontSize: text.lead,
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
});

export const stack = style({
  margin: 0,
  padding: space.medium,
  background: color.surface,
  fontSize: text.small,
  overflowX: 'auto',
});
