import type { ComponentPropsWithRef, KeyboardEvent } from 'react';
import * as css from './form.css.ts';

type FormProps = { label: string } & ComponentPropsWithRef<'form'>;

/** A form without the browser's own validation messages. */
export function Form({ label, ...form }: FormProps) {
  return (
    <form
      className={css.form}
      aria-label={label}
      noValidate
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
