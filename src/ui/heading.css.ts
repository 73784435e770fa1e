import { globalStyle, style } from '@vanilla-extract/css';
import { color, space, text } from '../styles/tokens.css.ts';
import { lineMarker } from '../styles/decorative-line.ts';

export const headingGroup = style({
  position: 'relative',
  display: 'flex',
  flexDirection: 'column',
  gap: space.hair,
  '::before': lineMarker(`${text.title} * 0.6`, 1.5),
  selectors: { '&:focus-within::before': { background: color.accent } },
  '@media': {
    // Forced colours replace every fill except system colours.
    '(forced-colors: active)': {
      selectors: { '&:focus-within::before': { background: 'CanvasText' } },
    },
  },
});

/** No focus ring, because a heading cannot be operated: its marker shows the focus. */
globalStyle(`${headingGroup} > h1:focus`, { outline: 'none' });

export const subtitle = style({
  color: color.textMuted,
  fontSize: text.lead,
  textWrap: 'balance',
});
