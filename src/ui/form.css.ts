import { style } from '@vanilla-extract/css';
import { space } from '../styles/tokens.css.ts';

/** The gap is larger than the one in a field, so that an error is next to its own field. */
export const form = style({ display: 'flex', flexDirection: 'column', gap: space.medium });
