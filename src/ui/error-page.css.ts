import { globalStyle, style } from '@vanilla-extract/css';
import { color, font, space, text, width } from '../styles/tokens.css.ts';
import { verticalLine } from '../styles/decorative-line.ts';

/** Smaller where large letters would break "Unexpected". */
const titleSize = `min(${text.title}, 10.5vw)`;

/** The line ends in a bar beside the heading. */
export const errorPage = style({
  position: 'relative',
  display: 'grid',
  gap: space.medium,
  alignContent: 'start',
  width: `calc(100% - 2 * ${width.margin})`,
  maxWidth: width.column,
  minWidth: 0,
  margin: '0 auto',
  padding: `20vh 0 ${space.huge} ${width.gutter}`,
  '::before': {
    ...verticalLine,
    bottom: 'auto',
    height: `calc(20vh + ${titleSize} * 0.6)`,
    borderColor: color.critical,
  },
  '::after': {
    content: '""',
    position: 'absolute',
    top: `calc(20vh + ${titleSize} * 0.6)`,
    left: '-0.25rem',
    width: '1.5rem',
    borderTop: `0.375rem solid ${color.critical}`,
  },
});

globalStyle(`${errorPage} > h1`, { fontSize: titleSize });

export const message = style({
  fontFamily: font,
  fontSize: text.lead,
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
});

export const stackTrace = style({
  margin: 0,
  padding: space.medium,
  background: color.surface,
  fontSize: text.small,
  overflowX: 'auto',
});
