import { style } from '@vanilla-extract/css';
import { color, radius, space, text } from '../styles/tokens.css.ts';
import { stopBeside } from '../styles/track.ts';
import { trainBeside } from '../styles/progress.css.ts';

export const section = style({
  position: 'relative',
  display: 'grid',
  gap: space.small,
  minWidth: 0,
  paddingTop: space.large,
  '::before': stopBeside(`${space.large} + ${text.section} * 0.6`, 1.25),
});

/** Rows arrive by train, between the heading and the first of them. */
export const progress = style([trainBeside, { marginTop: space.huge }]);

export const list = style({ listStyle: 'none', minWidth: 0 });

export const row = style({
  position: 'relative',
  display: 'grid',
  gap: space.hair,
  padding: `${space.medium} 0`,
  overflowWrap: 'anywhere',
  '::before': stopBeside(`${space.medium} + 0.8125rem`, 0.875),
});

export const title = style({ fontSize: text.lead, lineHeight: 1.4, whiteSpace: 'pre-wrap' });

export const description = style({ color: color.textMuted, whiteSpace: 'pre-wrap' });

/** A stop that is planned, and not yet there. */
export const note = style({
  position: 'relative',
  padding: `${space.medium} 0`,
  color: color.textMuted,
  '::before': {
    ...stopBeside(`${space.medium} + 0.75rem`, 0.875),
    borderStyle: 'dotted',
  },
  // While the list is on its way, its train stands here.
  selectors: { '[aria-busy="true"] > &::before': { display: 'none' } },
});

/** A way to the end of a list that is too long to look at. */
export const newest = style({
  justifySelf: 'start',
  marginTop: space.small,
  minHeight: '2.75rem',
  padding: `${space.hair} 0.75rem`,
  border: `1px solid ${color.accent}`,
  borderRadius: radius.control,
  background: 'transparent',
  color: color.accent,
  font: 'inherit',
  fontWeight: 600,
  cursor: 'pointer',
});
