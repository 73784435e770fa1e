import { globalStyle, style } from '@vanilla-extract/css';
import { color, narrowViewport, radius, space, text } from '../styles/tokens.css.ts';
import { formGap } from './form.css.ts';
import { hiddenFromView } from '../styles/visually-hidden.css.ts';

const narrowestViewport = '(max-width: 22rem)';

/**
 * In view, it is between the first and the second field, and takes no place there. On the smallest
 * phones it is the last row, because large letters leave no place beside the label.
 */
export const place = style({
  position: 'relative',
  zIndex: 1,
  order: -1,
  height: 0,
  marginBottom: `calc(-1 * ${formGap})`,
  '@media': { [narrowestViewport]: { order: 0, height: 'auto', marginBottom: 0 } },
});

globalStyle(`:has(> ${place}) > :first-child`, { order: -2 });

/** From the first field to the second, with its text beside the label. */
export const button = style({
  position: 'absolute',
  insetBlockStart: `calc(-1 * ${formGap})`,
  insetInlineEnd: 0,
  display: 'flex',
  alignItems: 'end',
  minHeight: '2.75rem',
  padding: `0 0 0.375rem ${space.small}`,
  border: 0,
  borderRadius: radius.control,
  background: 'transparent',
  color: color.accent,
  font: 'inherit',
  fontSize: text.small,
  fontWeight: 600,
  cursor: 'pointer',
  '@media': { [narrowestViewport]: { position: 'static', padding: 0 } },
});

export const buttonText = style({
  padding: `0 ${space.small}`,
  borderRadius: radius.control,
  selectors: {
    '[aria-pressed="true"] > &': { background: color.accent, color: color.onAccent },
  },
});

/** With large letters, a phone has no place for it. */
export const wideOnly = style({ '@media': { [narrowViewport]: hiddenFromView } });
