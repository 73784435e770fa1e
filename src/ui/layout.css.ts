import { style } from '@vanilla-extract/css';
import { space } from '../styles/tokens.css.ts';

export const stack = style({ display: 'flex', flexDirection: 'column', gap: space.large });
