import { useId, type ComponentPropsWithRef, type ReactNode } from 'react';
import * as css from './field.css.ts';

type FieldProps = { label: string; error: string | undefined };

/** A labelled text input. Its error is shown below it and is part of its description. */
export function TextField({ label, error, ...input }: FieldProps & ComponentPropsWithRef<'input'>) {
  const { control, renderField } = useField(label, error);
  return renderField(<input {...input} {...control} />);
}

/** The same with a textarea. */
export function TextArea({
  label,
  error,
  ...input
}: FieldProps & ComponentPropsWithRef<'textarea'>) {
  const { control, renderField } = useField(label, error);
  return renderField(<textarea {...input} {...control} />);
}

function useField(label: string, error: string | undefined) {
  const id = useId();
  const errorId = `${id}-error`;
  return {
    control: {
      id,
      className: css.control,
      'aria-invalid': error !== undefined,
      'aria-describedby': errorId,
      // A user may have touched it, or resized it, before hydration.
      suppressHydrationWarning: true,
    },
    renderField: (control: ReactNode) => (
      <div className={css.field}>
        <label className={css.label} htmlFor={id}>
          {label}
        </label>
        {control}
        {/* A touched field may have an error before hydration. React accepts only a string there. */}
        <p className={css.error} id={errorId} aria-live="polite" suppressHydrationWarning>
          {error ?? ''}
        </p>
      </div>
    ),
  };
}
