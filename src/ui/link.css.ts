import { style } from '@vanilla-extract/css';
import {
  color,
  motion,
  narrowestViewport,
  narrowViewport,
  radius,
  space,
} from '../styles/tokens.css.ts';

const link = style({
  display: 'inline-flex',
  alignItems: 'center',
  justifyContent: 'center',
  minHeight: '2.75rem',
  padding: `${space.hair} 0.625rem`,
  borderRadius: radius.control,
  textDecoration: 'none',
  fontWeight: 500,
  whiteSpace: 'nowrap',
  // Not of the colour, which changes with each navigation: those frames would be wasted.
  transition: `background ${motion.quick}`,
  '@media': { [narrowViewport]: { paddingInline: space.hair } },
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
    '@media': { '(hover: hover)': { ':hover': { color: color.accent } } },
    selectors: { '&[aria-current="page"]': { color: color.accent } },
  },
]);

const button = style([
  link,
  {
    paddingInline: '0.875rem',
    border: `1px solid ${color.accent}`,
    fontWeight: 600,
    '@media': {
      [narrowViewport]: { paddingInline: '0.4375rem' },
      [narrowestViewport]: { paddingInline: '0.375rem' },
    },
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
