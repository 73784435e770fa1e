import { style } from '@vanilla-extract/css';
import { color, font, space, text, width } from '../styles/tokens.css.ts';

export const failure = style({
  display: 'grid',
  gap: space.medium,
  alignContent: 'start',
  width: '100%',
  maxWidth: width.page,
  minWidth: 0,
  margin: '0 auto',
  padding: `${space.huge} ${space.large}`,
});

export const message = style({
  fontFamily: font,
  fontSize: text.lead,
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
});

export const stack = style({
  margin: 0,
  padding: space.medium,
  background: color.surface,
  fontSize: text.small,
  overflowX: 'auto',
});
