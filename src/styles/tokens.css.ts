import {
  assignVars,
  createGlobalTheme,
  createThemeContract,
  globalStyle,
} from '@vanilla-extract/css';
import { dark, light } from './themes.ts';

/** Colours by meaning. Both themes have a value for each. */
export const color = createThemeContract(light);

globalStyle(':root', {
  colorScheme: 'light dark',
  vars: assignVars(color, light),
  '@media': { '(prefers-color-scheme: dark)': { vars: assignVars(color, dark) } },
});

export const { space, text, radius, width, motion } = createGlobalTheme(':root', {
  space: { hair: '0.25rem', small: '0.5rem', medium: '1rem', large: '1.5rem', huge: '3rem' },
  text: {
    small: '0.875rem',
    body: '1rem',
    lead: '1.125rem',
    section: '1.375rem',
    // Limited by the viewport, so that large letters do not break words.
    title: 'min(clamp(1.625rem, 1.25rem + 1.6vw, 2rem), 15vw)',
  },
  radius: { control: '0.375rem' },
  // `column` includes `gutter`, the space for the decorative line. Both `gutter` and `margin` are
  // limited by the viewport, so that large letters leave space for the text.
  width: {
    column: '38rem',
    gutter: 'clamp(1.375rem, 11.25vw, 2.25rem)',
    margin: 'min(1rem, 5vw)',
  },
  motion: { quick: '120ms' },
});

export const font =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif, "Apple Color Emoji", "Noto Color Emoji"';

/** Phones in portrait orientation, and windows that are narrower than a header of one row. */
export const narrowViewport = '(max-width: 36rem)';
