/**
 * The idea behind the looks: a line with stops. It leaves the header, on which every screen is a stop, and runs down beside the
 * screen. What can be done there are its stops: the heading, each field, each project. Borders draw it, because they stay when a
 * system forces its own colours.
 */
import type { StyleRule } from '@vanilla-extract/css';
import { color, width } from './tokens.css.ts';

const line = '0.1875rem';

/** What `::before` of a relative box of the column needs to be the line beside it. */
export const trackBeside = {
  content: '""',
  position: 'absolute',
  insetBlock: 0,
  // Half a stop, less half a line.
  left: '0.40625rem',
  borderLeft: `${line} solid ${color.accent}`,
} as const satisfies StyleRule;

/** What `::before` needs to be a stop beside a line of text whose middle is at `middle`. */
export const stopBeside = (middle: string, size = 1) =>
  ({
    content: '""',
    position: 'absolute',
    top: `calc(${middle} - ${size / 2}rem)`,
    left: `calc(${(1 - size) / 2}rem - ${width.track})`,
    width: `${size}rem`,
    height: `${size}rem`,
    border: `${line} solid ${color.accent}`,
    borderRadius: '50%',
    background: color.canvas,
  }) as const satisfies StyleRule;
