import { style } from '@vanilla-extract/css';
import { space, width } from '../styles/tokens.css.ts';

export const stack = style({ display: 'grid', gap: space.large, minWidth: 0 });

export const narrowStack = style([stack, { maxWidth: width.form }]);
