import { keyframes, style } from '@vanilla-extract/css';
import { color, width } from './tokens.css.ts';

const slideRight = keyframes({
  from: { transform: 'translateX(-100%)' },
  to: { transform: 'translateX(300%)' },
});

const slideDown = keyframes({
  from: { transform: 'translateY(0)', opacity: 0 },
  '20%, 80%': { opacity: 1 },
  to: { transform: 'translateY(3rem)', opacity: 0 },
});

/** Indeterminate progress along the lower edge of an element. */
export const progressBar = style({
  position: 'absolute',
  insetInline: 0,
  bottom: 0,
  overflow: 'hidden',
  '::before': {
    content: '""',
    display: 'block',
    width: '34%',
    borderTop: '0.25rem solid',
    animation: `${slideRight} 1.1s linear infinite`,
  },
});

/** Indeterminate progress on the line beside the screen. */
export const progressOnLine = style({
  position: 'absolute',
  zIndex: 1,
  top: '1rem',
  left: `calc(0.5rem - 0.3125rem - ${width.gutter})`,
  height: '2rem',
  borderLeft: `0.625rem solid ${color.text}`,
  borderRadius: '0.3125rem',
  animation: `${slideDown} 1.4s ease-in-out infinite`,
});
