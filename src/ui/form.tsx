import type { ComponentPropsWithRef, KeyboardEvent } from 'react';
import * as css from './form.css.ts';

type FormProps = { label: string } & ComponentPropsWithRef<'form'>;

/**
 * A form without the browser's own validation messages. A browser does nothing at a submit that no
 * handler has seen, because an extension replaced the form: by default, it would put what was typed
 * into the address.
 */
export function Form({ label, ...form }: FormProps) {
  return (
    <form
      className={css.form}
      aria-label={label}
      noValidate
      method="dialog"
      onKeyDown={ignoreKeyRepeat}
      {...form}
    />
  );
}

/** Prevents a held Enter from submitting the form again. */
function ignoreKeyRepeat(event: KeyboardEvent) {
  if (event.key === 'Enter' && event.repeat && event.target instanceof HTMLInputElement) {
    event.preventDefault();
  }
}
