import { style } from '@vanilla-extract/css';
import { color, space, text, width } from '../styles/tokens.css.ts';

export const page = style({ display: 'grid', gridTemplateRows: 'auto 1fr auto', minWidth: 0 });

export const header = style({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: `${space.hair} ${space.large}`,
  padding: `${space.small} ${space.large}`,
  '@media': { '(max-width: 30rem)': { paddingInline: space.medium } },
  borderBottom: `1px solid ${color.line}`,
  background: color.surface,
});

export const brand = style({
  display: 'inline-flex',
  alignItems: 'center',
  gap: space.small,
  fontWeight: 700,
  letterSpacing: '-0.01em',
});

export const mark = style({ width: '1.5rem', height: '1.5rem', color: color.accent });

export const navigation = style({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: space.hair,
  flex: 1,
  minHeight: '2.75rem',
  '@media': { '(max-width: 40rem)': { flexBasis: '100%', marginInline: '-0.75rem' } },
});

export const main = style({
  width: '100%',
  maxWidth: width.page,
  minWidth: 0,
  margin: '0 auto',
  padding: `${space.huge} ${space.large}`,
  '@media': { '(max-width: 30rem)': { padding: `${space.large} ${space.medium}` } },
});

export const footer = style({
  padding: `${space.medium} ${space.large}`,
  borderTop: `1px solid ${color.line}`,
  color: color.textMuted,
  fontSize: text.small,
  textAlign: 'center',
});
