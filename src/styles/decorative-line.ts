/**
 * The line beside the screen and the round markers on it: decoration that every screen shares, see
 * docs/decisions/0012-visual-design.md. Forced colours keep only borders, so it consists of them.
 */
import type { StyleRule } from '@vanilla-extract/css';
import { color, width } from './tokens.css.ts';

const thickness = '0.1875rem';

/** Styles `::before` of the column as the line beside it. */
export const verticalLine = {
  content: '""',
  position: 'absolute',
  insetBlock: 0,
  // Centres the line on the markers, which are 1rem wide.
  left: '0.40625rem',
  borderLeft: `${thickness} solid ${color.accent}`,
} as const satisfies StyleRule;

/** Styles `::before` as a marker on the line, centred `middle` below the top. `size` is in rem. */
export const lineMarker = (middle: string, size = 1) =>
  ({
    content: '""',
    position: 'absolute',
    top: `calc(${middle} - ${size / 2}rem)`,
    left: `calc(${(1 - size) / 2}rem - ${width.gutter})`,
    width: `${size}rem`,
    height: `${size}rem`,
    border: `${thickness} solid ${color.accent}`,
    borderRadius: '50%',
    background: color.canvas,
  }) as const satisfies StyleRule;
