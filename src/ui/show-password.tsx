import { useEffect, useState } from 'react';
import * as css from './show-password.css.ts';

/** Returns whether a form shows its password. It hides it at a submit and when the page is left. */
export function useShownPassword() {
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    const hide = () => setIsShown(false);
    for (const type of ['submit', 'pagehide']) addEventListener(type, hide, true);
    return () => {
      for (const type of ['submit', 'pagehide']) removeEventListener(type, hide, true);
    };
  }, []);
  return [isShown, () => setIsShown((before) => !before)] as const;
}

type ShowPasswordProps = { isShown: boolean; onToggle: () => void };

/**
 * A button for a form whose second field is a password. It is the last one of the form, so that Tab
 * goes from the password to the submit button. It has one name: screen readers say "pressed".
 */
export const ShowPassword = ({ isShown, onToggle }: ShowPasswordProps) => (
  <div className={css.place}>
    <button
      type="button"
      className={css.button}
      aria-pressed={isShown}
      // The field keeps the focus, and the keyboard of a phone stays.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onToggle}
    >
      <span className={css.buttonText}>
        Show<span className={css.wideOnly}> password</span>
      </span>
    </button>
  </div>
);
