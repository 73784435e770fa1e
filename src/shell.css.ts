import { globalStyle, style } from '@vanilla-extract/css';

/** A screen as it is in the page before there is a script: the one that the address names, or else the first. */
export const frame = style({ display: 'none' });
globalStyle(`${frame}:target, :root:not(:has(${frame}:target)) ${frame}:first-child`, {
  display: 'grid',
});
