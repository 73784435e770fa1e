import { style } from '@vanilla-extract/css';
import { color, motion, narrow, radius, space } from '../styles/tokens.css.ts';
import { train as trainBelow } from '../styles/progress.css.ts';

export const button = style({
  position: 'relative',
  justifySelf: 'start',
  minWidth: 'min(12rem, 100%)',
  minHeight: '2.75rem',
  marginTop: space.hair,
  padding: `${space.small} ${space.large}`,
  border: '1px solid transparent',
  borderRadius: radius.control,
  background: color.accent,
  color: color.onAccent,
  font: 'inherit',
  fontWeight: 600,
  cursor: 'pointer',
  overflow: 'hidden',
  transition: `background ${motion.quick}`,
  ':hover': { background: color.accentStrong },
  selectors: { '&[aria-disabled="true"]': { cursor: 'progress' } },
  '@media': { [narrow]: { justifySelf: 'stretch', paddingInline: space.hair } },
});

/** Its place says of itself whether it is there: the first view knows nothing of it. */
export const train = style([
  trainBelow,
  { selectors: { '[aria-busy="false"] > &': { display: 'none' } } },
]);
