import { useId, useState, type ComponentPropsWithRef, type ReactNode } from 'react';
import * as css from './field.css.ts';

type FieldProps = { label: string; error: string | undefined };

/**
 * A labelled text input. Its error is shown below it and is part of its description, which screen
 * readers read when the field takes the focus. They announce an error that appears later.
 */
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
  const [isAnnounced, setIsAnnounced] = useState(true);
  const announce = () => setIsAnnounced(true);
  return {
    control: {
      id,
      className: css.control,
      'aria-invalid': error !== undefined,
      'aria-describedby': errorId,
      // A user may have touched it, or resized it, before hydration.
      // Stryker disable next-line BooleanLiteral: only a browser hydrates.
      suppressHydrationWarning: true,
    },
    renderField: (control: ReactNode) => (
      <div
        className={css.field}
        // A failed submit focuses the first invalid field. Its error would be read twice.
        onFocus={() => setIsAnnounced(false)}
        onBlur={announce}
        onInput={announce}
        onKeyDown={announce}
      >
        <label className={css.label} htmlFor={id}>
          {label}
        </label>
        {control}
        {/* A touched field may have an error before hydration. React accepts only a string there. */}
        <p
          className={css.error}
          id={errorId}
          aria-live={isAnnounced ? 'polite' : undefined}
          suppressHydrationWarning
        >
          {error ?? ''}
        </p>
      </div>
    ),
  };
}
