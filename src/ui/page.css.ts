import { style } from '@vanilla-extract/css';
import {
  color,
  narrowestViewport,
  narrowViewport,
  space,
  text,
  width,
} from '../styles/tokens.css.ts';
import { verticalLine } from '../styles/decorative-line.ts';

export const page = style({ display: 'flex', flexDirection: 'column', minHeight: '100svh' });

export const header = style({
  position: 'relative',
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: `0 ${space.large}`,
  padding: `${space.small} ${space.large} 0.75rem`,
  borderBottom: `0.1875rem solid ${color.accent}`,
  background: color.surface,
  '@media': { [narrowViewport]: { paddingInline: width.margin } },
});

export const brand = style({
  display: 'inline-flex',
  alignItems: 'center',
  gap: space.small,
  fontWeight: 700,
  letterSpacing: '-0.01em',
  // Aligns the logo with the line beside the screen, and the name with the screen.
  '@media': {
    [narrowViewport]: { gap: `calc(${width.gutter} - 1.25rem)`, marginInlineStart: '-0.25rem' },
  },
});

export const logo = style({ width: '1.5rem', height: '1.5rem', color: color.accent });

export const navigation = style({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: space.hair,
  flex: 1,
  minHeight: '2.75rem',
  '@media': {
    '(max-width: 40rem)': { flexBasis: '100%', marginInlineStart: '-0.625rem' },
    [narrowViewport]: {
      gap: 0,
      marginInline: `-0.25rem calc(${width.margin} * -0.5)`,
      fontSize: '0.8125rem',
    },
    [narrowestViewport]: { fontSize: '0.75rem' },
  },
});

export const main = style({
  position: 'relative',
  flexGrow: 1,
  width: '100%',
  maxWidth: width.column,
  margin: '0 auto',
  padding: `${space.huge} 0 ${space.huge} ${width.gutter}`,
  '::before': verticalLine,
  '@media': {
    '(max-width: 41rem)': {
      maxWidth: `calc(100% - 2 * ${width.margin})`,
      paddingBlock: space.large,
    },
  },
});

export const footer = style({
  textWrap: 'balance',
  padding: `${space.medium} ${space.large}`,
  borderTop: `1px solid ${color.line}`,
  color: color.textMuted,
  fontSize: text.small,
  textAlign: 'center',
});
