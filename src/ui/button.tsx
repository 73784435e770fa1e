import type { MouseEvent, ReactNode } from 'react';
import * as css from './button.css.ts';
import { useHydrated } from './use-hydrated.ts';

/**
 * The submit button of a form. It is not disabled while `busy`, because a disabled button loses the
 * focus. The machines ignore a second submit. A submit before hydration makes it busy, too.
 */
export function SubmitButton({ busy, children }: { busy: boolean; children: ReactNode }) {
  return (
    <button
      type="submit"
      // As that of the form, also if an extension moves the fields to a form of its own.
      formMethod="dialog"
      className={css.formButton}
      aria-busy={busy}
      aria-disabled={busy}
      onClick={ignoreSecondClick}
      suppressHydrationWarning
    >
      {children}
      <span className={css.progress} />
    </button>
  );
}

/** A button that submits no form. Disabled until it works, which is after hydration. */
export function Button({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  const isHydrated = useHydrated();
  return (
    <button type="button" className={css.button} disabled={!isHydrated} onClick={onClick}>
      {children}
    </button>
  );
}

/** Prevents a second submit when the response arrives between the clicks of a double click. */
function ignoreSecondClick(event: MouseEvent) {
  if (event.detail > 1) event.preventDefault();
}
