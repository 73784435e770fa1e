/** The colours of both themes. Plain values, because the contrast test computes with them. */
export const light = {
  canvas: '#f6f4ee',
  /** Background of fields and of the header. */
  surface: '#ffffff',
  text: '#18202c',
  textMuted: '#515b69',
  /** Dividers, which carry no information. */
  line: '#d9d5c9',
  /** Borders of fields. */
  control: '#767f8c',
  /** Links, buttons and the decorative line. */
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
