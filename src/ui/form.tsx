import type { FormEvent, KeyboardEvent, ReactNode } from 'react';
import * as css from './form.css.ts';

/** A form. Its own rules decide what is valid: the browser's bubbles are off. */
export function Form({
  label,
  onSubmit,
  children,
}: {
  label: string;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  children: ReactNode;
}) {
  return (
    <form
      className={css.form}
      aria-label={label}
      noValidate
      onSubmit={onSubmit}
      onKeyDown={oncePerPress}
    >
      {children}
    </form>
  );
}

/** A held Enter submits again and again: after the first success it would submit an empty form. */
function oncePerPress(event: KeyboardEvent) {
  if (event.key === 'Enter' && event.repeat && event.target instanceof HTMLInputElement) {
    event.preventDefault();
  }
}
