import { style } from '@vanilla-extract/css';
import { color, motion, narrowViewport, radius, space, width } from '../styles/tokens.css.ts';

const link = style({
  display: 'inline-flex',
  alignItems: 'center',
  justifyContent: 'center',
  minHeight: '2.75rem',
  padding: `${space.hair} 0.625em`,
  borderRadius: radius.control,
  textDecoration: 'none',
  fontWeight: 500,
  whiteSpace: 'nowrap',
  // Not of the colour, which changes with each navigation: those frames would be wasted.
  transition: `background ${motion.quick}`,
  selectors: {
    // A marker on the header's lower edge, below the link, also when the links wrap.
    '&[aria-current="page"]::after': {
      content: '""',
      position: 'absolute',
      bottom: '-0.59375rem',
      width: '1rem',
      height: '1rem',
      border: `0.1875rem solid ${color.accent}`,
      borderRadius: '50%',
      background: color.surface,
    },
  },
});

export const nav = style([
  link,
  {
    color: color.text,
    '@media': {
      '(hover: hover)': { ':hover': { color: color.accent } },
      [narrowViewport]: {
        order: 2,
        // Aligns its text with the screen.
        ':first-child': { marginInlineStart: `calc(${width.gutter} - 0.625em)` },
      },
    },
    selectors: { '&[aria-current="page"]': { color: color.accent } },
  },
]);

const button = style([
  link,
  {
    paddingInline: '0.875rem',
    border: `1px solid ${color.accent}`,
    fontWeight: 600,
    // The marker is on its own edge, because other links are between it and the header's.
    '@media': { [narrowViewport]: { position: 'relative', paddingInline: '0.625em' } },
  },
]);

export const outlined = style([
  button,
  {
    color: color.accent,
    '@media': { '(hover: hover)': { ':hover': { background: color.canvas } } },
  },
]);

export const filled = style([
  button,
  {
    background: color.accent,
    color: color.onAccent,
    '@media': { '(hover: hover)': { ':hover': { background: color.accentStrong } } },
  },
]);

export const linkGroup = style({
  display: 'flex',
  flexWrap: 'wrap',
  gap: space.small,
  marginInlineStart: 'auto',
  '@media': { [narrowViewport]: { gap: space.hair } },
});

export const inline = style({
  display: 'inline-flex',
  alignItems: 'center',
  minHeight: '1.5rem',
  color: color.accent,
});
