import { style } from '@vanilla-extract/css';
import { color, narrowViewport, space, text, width } from '../styles/tokens.css.ts';
import { verticalLine } from '../styles/decorative-line.ts';

/** The space beside the column. */
const inset = `max(${width.margin}, (100% - ${width.column}) / 2)`;

export const page = style({ display: 'flex', flexDirection: 'column', minHeight: '100svh' });

export const header = style({
  position: 'relative',
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: `0 ${space.large}`,
  padding: `${space.small} ${inset} 0.75rem`,
  borderBottom: `0.1875rem solid ${color.accent}`,
  background: color.surface,
  // The buttons stand beside the brand, and the other links below, next to their markers.
  '@media': {
    [narrowViewport]: {
      readingFlow: 'flex-visual',
      gap: `0.125rem ${space.hair}`,
      paddingBlock: space.hair,
      // Starts the second row.
      '::before': { content: '""', order: 1, flexBasis: '100%' },
    },
  },
});

export const brand = style({
  display: 'inline-flex',
  alignItems: 'center',
  // Aligns the logo with the line beside the screen, and the name with the screen.
  gap: `calc(${width.gutter} - 1.25rem)`,
  marginInlineStart: '-0.25rem',
  fontWeight: 700,
  letterSpacing: '-0.01em',
});

export const logo = style({ width: '1.5rem', height: '1.5rem', color: color.accent });

export const navigation = style({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: space.hair,
  flex: 'auto',
  '@media': { [narrowViewport]: { display: 'contents', fontSize: 'min(1rem, 6vw)' } },
});

export const main = style({
  position: 'relative',
  flexGrow: 1,
  width: `calc(100% - 2 * ${width.margin})`,
  maxWidth: width.column,
  margin: '0 auto',
  padding: `${space.huge} 0 ${space.huge} ${width.gutter}`,
  '::before': verticalLine,
  '@media': { '(max-width: 41rem)': { paddingBlock: space.large } },
});

export const footer = style({
  textWrap: 'balance',
  padding: `${space.medium} ${inset}`,
  paddingLeft: `calc(${inset} + ${width.gutter})`,
  borderTop: `1px solid ${color.line}`,
  color: color.textMuted,
  fontSize: text.small,
});
