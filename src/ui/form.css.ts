import { style } from '@vanilla-extract/css';
import { space } from '../styles/tokens.css.ts';

export const form = style({ display: 'flex', flexDirection: 'column', gap: space.small });
