import { style } from '@vanilla-extract/css';
import { space } from '../styles/tokens.css.ts';

/** Larger than the gap in a field, so that an error is next to its own field. */
export const formGap = space.medium;

export const form = style({ display: 'flex', flexDirection: 'column', gap: formGap });
