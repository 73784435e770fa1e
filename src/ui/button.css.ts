import { style } from '@vanilla-extract/css';
import { color, motion, narrowViewport, radius, space } from '../styles/tokens.css.ts';
import { progressBar } from '../styles/progress.css.ts';

export const formButton = style({
  position: 'relative',
  alignSelf: 'start',
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
  selectors: { '&[aria-disabled="true"]': { cursor: 'progress' } },
  '@media': {
    // A phone would keep the colour after a tap.
    '(hover: hover)': { ':hover': { background: color.accentStrong } },
    [narrowViewport]: { alignSelf: 'stretch', paddingInline: space.hair },
  },
});

/** Depends on `aria-busy` alone, which the script for prerendered screens sets too. */
export const progress = style([
  progressBar,
  { selectors: { '[aria-busy="false"] > &': { display: 'none' } } },
]);

export const button = style({
  alignSelf: 'start',
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
