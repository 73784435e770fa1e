import { useId, type ComponentPropsWithRef } from 'react';
import * as css from './field.css.ts';

type Shared = { label: string; error: string | undefined };

/** A labelled line of text. Its error stands below it and is read out with it. */
export function TextField({ label, error, ...input }: Shared & ComponentPropsWithRef<'input'>) {
  const { frame, control } = useField(label, error);
  return frame(<input {...input} {...control} />);
}

/** A labelled text of several lines. */
export function TextArea({ label, error, ...input }: Shared & ComponentPropsWithRef<'textarea'>) {
  const { frame, control } = useField(label, error);
  return frame(<textarea {...input} {...control} />);
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
    frame: (control: React.ReactNode) => (
      <div className={css.field}>
        <label className={css.label} htmlFor={id}>
          {label}
        </label>
        {control}
        <p className={css.error} id={errorId} aria-live="polite">
          {error}
        </p>
      </div>
    ),
  };
}
