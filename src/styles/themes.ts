/** The colours of both themes, by what they mean. Plain values, so that a test can reckon with them. */
export const light = {
  canvas: '#f6f4ee',
  surface: '#ffffff',
  text: '#18202c',
  textMuted: '#515b69',
  line: '#d9d5c9',
  control: '#767f8c',
  accent: '#1b4dc1',
  accentStrong: '#143a94',
  onAccent: '#ffffff',
  critical: '#b3261e',
  criticalFill: '#b3261e',
  onCriticalFill: '#ffffff',
};

export const dark: typeof light = {
  canvas: '#10151c',
  surface: '#1a222d',
  text: '#e9ecf0',
  textMuted: '#a7b1be',
  line: '#2f3947',
  control: '#7c8896',
  accent: '#8bb0ff',
  accentStrong: '#b4cbff',
  onAccent: '#0b1633',
  critical: '#ff766d',
  criticalFill: '#a1261d',
  onCriticalFill: '#ffffff',
};
