import { useId, useState, type ComponentPropsWithRef, type ReactNode } from 'react';
import { directionOf } from './text-direction.ts';
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

/** Updates the direction of a control with `dir`. `pasted` is not in its value yet. */
function updateDirection(field: Element | null, pasted = '') {
  const control = field?.querySelector<HTMLTextAreaElement>('[name][dir]');
  if (control) control.dir = directionOf(control.value + pasted);
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
      suppressHydrationWarning: true,
    },
    renderField: (control: ReactNode) => (
      <div
        className={css.fieldGroup}
        // After each render, because the app may have changed the text.
        ref={(field) => updateDirection(field)}
        // A failed submit focuses the first invalid field. Its error would be read twice.
        onFocus={() => setIsAnnounced(false)}
        onBlur={announce}
        // Before the browser lays out the pasted text.
        onPaste={({ currentTarget, clipboardData }) =>
          updateDirection(currentTarget, clipboardData.getData('text/plain'))
        }
        onInput={({ currentTarget }) => {
          announce();
          updateDirection(currentTarget);
        }}
        onKeyDown={announce}
      >
        <label className={css.label} htmlFor={id}>
          {label}
        </label>
        {control}
        {/* A touched field may have an error before hydration. React accepts only a string there. */}
        <p
          className={css.fieldError}
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
