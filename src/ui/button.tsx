import type { MouseEvent, ReactNode } from 'react';
import * as css from './button.css.ts';

/**
 * The button that submits its form. While `busy` it says so and keeps the focus, which a disabled button would lose;
 * whoever owns the form decides that a second submit changes nothing.
 */
export function SubmitButton({ busy, children }: { busy: boolean; children: ReactNode }) {
  return (
    <button
      type="submit"
      className={css.button}
      aria-busy={busy}
      aria-disabled={busy}
      onClick={oncePerDoubleClick}
    >
      {children}
      <span className={css.train} />
    </button>
  );
}

/** A fast answer may come between the two clicks of a double click: the second would submit the form again. */
function oncePerDoubleClick(event: MouseEvent) {
  if (event.detail > 1) event.preventDefault();
}
