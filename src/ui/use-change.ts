import { useState } from 'react';

/**
 * Calls a function that sets state when a value is another one than in the render before. React
 * then renders again at once, without an effect and before the page is painted.
 */
export function useChange(value: unknown, onChange: () => void) {
  const [last, setLast] = useState(value);
  if (last === value) return;
  setLast(value);
  onChange();
}
