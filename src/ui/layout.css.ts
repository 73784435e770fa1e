import { style } from '@vanilla-extract/css';
import { space, width } from '../styles/tokens.css.ts';

export const stack = style({ display: 'flex', flexDirection: 'column', gap: space.large });

export const narrowStack = style([stack, { maxWidth: width.form }]);
