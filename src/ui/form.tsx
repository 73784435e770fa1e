import type { FormEvent, KeyboardEvent, ReactNode } from 'react';
import * as css from './form.css.ts';

type FormProps = {
  label: string;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  children: ReactNode;
};

/** A form without the browser's own validation messages. */
export function Form({ label, onSubmit, children }: FormProps) {
  return (
    <form
      className={css.form}
      aria-label={label}
      noValidate
      onSubmit={onSubmit}
      onKeyDown={ignoreKeyRepeat}
    >
      {children}
    </form>
  );
}

/** Prevents a held Enter from submitting the form again. */
function ignoreKeyRepeat(event: KeyboardEvent) {
  if (event.key === 'Enter' && event.repeat && event.target instanceof HTMLInputElement) {
    event.preventDefault();
  }
}
