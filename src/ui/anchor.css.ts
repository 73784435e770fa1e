import { style } from '@vanilla-extract/css';
import { color, motion, radius, space } from '../styles/tokens.css.ts';

const anchor = style({
  display: 'inline-flex',
  alignItems: 'center',
  minHeight: '2.75rem',
  padding: `${space.hair} 0.75rem`,
  borderRadius: radius.control,
  textDecoration: 'none',
  fontWeight: 500,
  transition: `background ${motion.quick}`,
});

export const nav = style([
  anchor,
  {
    color: color.text,
    ':hover': { color: color.accent },
    selectors: {
      '&[aria-current="page"]': {
        color: color.accent,
        boxShadow: `inset 0 -0.1875rem 0 ${color.accent}`,
        borderRadius: 0,
      },
    },
  },
]);

export const outlined = style([
  anchor,
  {
    marginInlineStart: 'auto',
    border: `1px solid ${color.accent}`,
    color: color.accent,
    fontWeight: 600,
    ':hover': { background: color.canvas },
  },
]);

export const filled = style([
  anchor,
  {
    border: '1px solid transparent',
    background: color.accent,
    color: color.onAccent,
    fontWeight: 600,
    ':hover': { background: color.accentStrong },
  },
]);

export const inline = style({ color: color.accent });
