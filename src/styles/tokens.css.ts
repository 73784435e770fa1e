import {
  assignVars,
  createGlobalTheme,
  createThemeContract,
  globalStyle,
} from '@vanilla-extract/css';
import { dark, light } from './themes.ts';

/** Colours by what they mean. Light and dark are two values of this one contract. */
export const color = createThemeContract({
  canvas: null,
  /** What is written into, and the frame around the screens. */
  surface: null,
  text: null,
  textMuted: null,
  /** Lines that only divide. */
  line: null,
  /** Lines that a person must be able to see: the border of a field. */
  control: null,
  /** What can be acted on, and the track that runs through every screen. */
  accent: null,
  accentStrong: null,
  onAccent: null,
  critical: null,
  criticalFill: null,
  onCriticalFill: null,
});

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
    title: 'clamp(1.625rem, 1.25rem + 1.6vw, 2rem)',
  },
  radius: { control: '0.375rem' },
  // `column` is as wide as a line of text may be, with room for the track; `track` is that room.
  width: { column: '38rem', form: '24rem', track: '2.25rem' },
  motion: { quick: '120ms' },
});

export const font =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif, "Apple Color Emoji", "Noto Color Emoji"';

/** Phones held upright. */
export const narrow = '(max-width: 30rem)';
