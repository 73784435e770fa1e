import { globalStyle, style } from '@vanilla-extract/css';
import { color, space, text, width } from '../styles/tokens.css.ts';
import { lineMarker } from '../styles/decorative-line.ts';
import { progressOnLine } from '../styles/progress.css.ts';

export const section = style({
  position: 'relative',
  display: 'flex',
  flexDirection: 'column',
  gap: space.small,
  paddingTop: space.large,
  '::before': lineMarker(`${space.large} + ${text.section} * 0.6`, 1.25),
});

/** Between the heading and the first row. */
export const listProgress = style([
  progressOnLine,
  {
    marginTop: space.huge,
    selectors: { '[aria-busy="false"] > &': { display: 'none' } },
  },
]);

export const list = style({ listStyle: 'none' });

export const row = style({
  position: 'relative',
  display: 'flex',
  flexDirection: 'column',
  gap: space.hair,
  padding: `${space.medium} 0`,
  overflowWrap: 'anywhere',
  '::before': lineMarker(`${space.medium} + 0.8125rem`, 0.875),
});

/** Has room for the markers, which are beside the rows: what is outside is not painted. */
export const group = style({
  marginLeft: `calc(-1 * ${width.gutter})`,
  paddingLeft: width.gutter,
  contentVisibility: 'auto',
  // So that End finds the end.
  selectors: { '&:last-child': { contentVisibility: 'visible' } },
});

const userText = {
  whiteSpace: 'pre-wrap',
  // Browsers give `li` a `text-align` that its children inherit, in Firefox and WebKit as `left`.
  textAlign: 'start',
  // Each line has its own direction, as in the textarea.
  selectors: { '&[dir="auto"]': { unicodeBidi: 'plaintext' } },
} as const;

export const title = style({ ...userText, fontSize: text.lead, lineHeight: 1.4 });

/** If its title is in the other direction, on the side of the title. */
export const description = style({
  ...userText,
  color: color.textMuted,
  selectors: {
    ...userText.selectors,
    [`${title}:dir(rtl) + &:dir(ltr)`]: { textAlign: 'right' },
    [`${title}:dir(ltr) + &:dir(rtl)`]: { textAlign: 'left' },
  },
});

/** Shown in place of the rows. */
export const note = style({
  position: 'relative',
  padding: `${space.medium} 0`,
  color: color.textMuted,
  '::before': {
    ...lineMarker(`${space.medium} + 0.75rem`, 0.875),
    borderStyle: 'dotted',
  },
  // The progress indicator takes this position while the list loads.
  selectors: { '[aria-busy="true"] > &::before': { display: 'none' } },
});

/** Beside the heading where there is room, so that the rows keep their place when it appears. */
export const showAll = style({
  marginTop: space.small,
  '@media': {
    '(min-width: 41rem)': {
      position: 'absolute',
      marginTop: 0,
      insetInlineEnd: 0,
      top: `calc(${space.large} + ${text.section} * 0.6 - 1.375rem)`,
    },
  },
});

export const printNote = style({ '@media': { screen: { display: 'none' } } });

globalStyle(`${section} > button`, { marginTop: space.small });
