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
    },
    renderField: (control: ReactNode) => (
      <div className={css.field}>
        <label className={css.label} htmlFor={id}>
          {label}
        </label>
        {control}
        {/* The inline script may show it before hydration. React then accepts only a string. */}
        <p className={css.error} id={errorId} aria-live="polite" suppressHydrationWarning>
          {error ?? ''}
        </p>
      </div>
    ),
  };
}
