import {
  assignVars,
  createGlobalTheme,
  createThemeContract,
  globalStyle,
} from '@vanilla-extract/css';

/** Colours by what they mean. Light and dark are two values of this one contract. */
export const color = createThemeContract({
  canvas: null,
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

const light = {
  canvas: '#f5f4ef',
  surface: '#ffffff',
  text: '#1b2330',
  textMuted: '#535d6b',
  line: '#dcd9cf',
  control: '#7b8491',
  accent: '#1d4fc4',
  accentStrong: '#163c97',
  onAccent: '#ffffff',
  critical: '#b3261e',
  criticalFill: '#b3261e',
  onCriticalFill: '#ffffff',
};

const dark = {
  canvas: '#11161d',
  surface: '#19202a',
  text: '#e9ebee',
  textMuted: '#a5afbc',
  line: '#2d3643',
  control: '#75818f',
  accent: '#8eb0ff',
  accentStrong: '#b5cbff',
  onAccent: '#0b1633',
  critical: '#ff6f66',
  criticalFill: '#a1261d',
  onCriticalFill: '#ffffff',
};

globalStyle(':root', {
  colorScheme: 'light dark',
  vars: assignVars(color, light),
  '@media': { '(prefers-color-scheme: dark)': { vars: assignVars(color, dark) } },
});

export const { space, text, radius, width, motion } = createGlobalTheme(':root', {
  space: { hair: '0.25rem', small: '0.5rem', medium: '1rem', large: '1.5rem', huge: '3rem' },
  text: { small: '0.875rem', body: '1rem', lead: '1.1875rem', title: '1.75rem' },
  radius: { control: '0.375rem', card: '0.75rem' },
  width: { form: '26rem', page: '46rem' },
  motion: { quick: '120ms' },
});

export const font =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif, "Apple Color Emoji", "Noto Color Emoji"';
