import { keyframes, style } from '@vanilla-extract/css';
import { color, motion, radius, space } from '../styles/tokens.css.ts';

export const button = style({
  position: 'relative',
  display: 'inline-flex',
  alignItems: 'center',
  justifyContent: 'center',
  minHeight: '2.75rem',
  padding: `${space.small} ${space.large}`,
  border: '1px solid transparent',
  borderRadius: radius.control,
  background: color.accent,
  color: color.onAccent,
  font: 'inherit',
  fontWeight: 600,
  textDecoration: 'none',
  cursor: 'pointer',
  overflow: 'hidden',
  transition: `background ${motion.quick}`,
  ':hover': { background: color.accentStrong },
  selectors: { '&[aria-disabled="true"]': { cursor: 'progress' } },
});

const travel = keyframes({
  from: { transform: 'translateX(-100%)' },
  to: { transform: 'translateX(300%)' },
});

/** A train on its track: the same sign of work under way wherever something is pending. */
export const progress = style({
  position: 'absolute',
  insetInline: 0,
  bottom: 0,
  height: '0.1875rem',
  overflow: 'hidden',
  '::before': {
    content: '""',
    display: 'block',
    width: '34%',
    height: '100%',
    background: 'currentColor',
    animation: `${travel} 1.1s linear infinite`,
  },
});
