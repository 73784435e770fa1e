import { style } from '@vanilla-extract/css';
import { color, radius, space, text } from '../styles/tokens.css.ts';

export const section = style({
  position: 'relative',
  display: 'grid',
  gap: space.medium,
  minWidth: 0,
  paddingTop: space.large,
});

export const track = style({
  position: 'relative',
  height: '0.1875rem',
  borderRadius: radius.control,
  background: color.line,
  color: color.accent,
  overflow: 'hidden',
});

export const list = style({ listStyle: 'none', minWidth: 0 });

/** A stop on the track: the line runs through all rows, from the first stop to the last. */
export const row = style({
  position: 'relative',
  display: 'grid',
  gap: space.hair,
  padding: `${space.medium} 0 ${space.medium} 2rem`,
  overflowWrap: 'anywhere',
  '::before': {
    content: '""',
    position: 'absolute',
    insetBlock: 0,
    left: '0.5rem',
    borderLeft: `0.125rem solid ${color.line}`,
  },
  '::after': {
    content: '""',
    position: 'absolute',
    top: '1.4375rem',
    left: '0.1875rem',
    width: '0.75rem',
    height: '0.75rem',
    border: `0.125rem solid ${color.accent}`,
    borderRadius: '50%',
    background: color.canvas,
  },
  selectors: {
    '&:first-child::before': { top: '1.75rem' },
    '&:last-child::before': { bottom: 'auto', height: '1.75rem' },
    '&:only-child::before': { display: 'none' },
  },
});

export const title = style({ fontSize: text.lead, lineHeight: 1.4, whiteSpace: 'pre-wrap' });

export const description = style({ color: color.textMuted, whiteSpace: 'pre-wrap' });

export const note = style({ color: color.textMuted });

/** A way to the end of a list that is too long to look at. */
export const newest = style({
  justifySelf: 'start',
  minHeight: '2.75rem',
  padding: `${space.hair} 0.75rem`,
  border: `1px solid ${color.accent}`,
  borderRadius: radius.control,
  background: 'transparent',
  color: color.accent,
  font: 'inherit',
  fontWeight: 600,
  cursor: 'pointer',
});
