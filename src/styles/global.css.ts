import { globalStyle, keyframes } from '@vanilla-extract/css';
import { color, font, space, text } from './tokens.css.ts';

globalStyle('*, *::before, *::after', { boxSizing: 'border-box' });

// Text grows with the window from 1,700 px on, because large screens are viewed from farther away.
globalStyle('html', {
  textSizeAdjust: '100%',
  fontSize: 'clamp(1em, 0.7em + 0.28vw, 1.25em)',
});

globalStyle('body', {
  margin: 0,
  background: color.canvas,
  color: color.text,
  fontFamily: font,
  fontSize: text.body,
  lineHeight: 1.5,
});

globalStyle('h1, h2, h3, p, ul', { margin: 0, padding: 0 });

globalStyle('h1, h2', { lineHeight: 1.2, letterSpacing: '-0.015em', overflowWrap: 'anywhere' });

globalStyle('h1', { fontSize: text.title });

globalStyle('h2', { fontSize: text.section });

// Prerendered buttons that only the app can serve.
globalStyle('button:disabled', { opacity: 0.6, cursor: 'default' });

globalStyle(':focus-visible', {
  outline: `0.1875rem solid ${color.accent}`,
  outlineOffset: '0.125rem',
});

globalStyle('::selection', { background: color.accent, color: color.onAccent });

globalStyle('*, *::before, *::after', {
  '@media': {
    '(prefers-reduced-motion: reduce)': {
      animation: 'none !important',
      transition: 'none !important',
    },
  },
});

globalStyle('noscript p, #root > p', { padding: space.large });

// A slow page is painted before its inline script has arrived, which replaces the text.
globalStyle('#root > p', {
  animation: `${keyframes({ from: { visibility: 'hidden' } })} 2s step-end`,
  // Then `noscript` says more.
  '@media': { '(scripting: none)': { display: 'none' } },
});
