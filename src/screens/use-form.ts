import { zodResolver } from '@hookform/resolvers/zod';
import { useRef } from 'react';
import type { ChangeEvent, FocusEvent, FormEvent } from 'react';
import { flushSync } from 'react-dom';
import { useForm as useHookForm } from 'react-hook-form';
import type { DefaultValues, FieldValues, Path } from 'react-hook-form';
import type { ZodMiniType } from 'zod/mini';

type Control = HTMLInputElement | HTMLTextAreaElement;

/**
 * A form that is validated by `schema`. Calls `onValid` with the values of a valid submit.
 *
 * - `field(name)`: the props of a field. It has an error once it was touched or submitted.
 * - `resetAndFocus(values, name)`: resets the form and focuses a field. Leaving that field empty
 *   shows no error, because the user did not touch it. Nor does the field that had the focus.
 * - `submit`: the `onSubmit` of the form. Reads the values from the DOM, because a password manager
 *   may fill and submit a form without any event.
 */
export function useForm<Values extends FieldValues>(
  schema: ZodMiniType<Values, Values>,
  defaultValues: DefaultValues<Values>,
  onValid: (values: Values) => void,
) {
  const form = useHookForm<Values>({
    resolver: zodResolver(schema),
    defaultValues,
    // Validates a field at its first blur or submit, then at each change.
    mode: 'onTouched',
  });
  const untouchedFocus = useRef<string>(undefined);

  const { errors } = form.formState;

  return {
    form,
    field: (name: Path<Values>) => {
      const error = errors[name]?.message;
      const registered = form.register(name);
      return {
        ...registered,
        onChange: (event: ChangeEvent<Control>) => {
          untouchedFocus.current = undefined;
          void registered.onChange(event);
        },
        onBlur: (event: FocusEvent<Control>) => {
          const isUntouched = untouchedFocus.current === name && event.target.value === '';
          untouchedFocus.current = undefined;
          if (!isUntouched) void registered.onBlur(event);
        },
        error: typeof error === 'string' ? error : undefined,
      };
    },
    resetAndFocus: (values: Values, name: Path<Values>, update: () => void) => {
      // Synchronous, so that the new fields are in the page, and all that changes is one commit.
      flushSync(() => {
        form.reset(values);
        update();
      });
      const control = document.querySelector<Control>(`form [name="${name}"]`);
      // A user who has scrolled past the form stays there. The first key scrolls the field into
      // view.
      // Stryker disable next-line all: only a browser has a layout.
      const isAbove = (control?.form?.getBoundingClientRect().bottom ?? 0) < 0;
      // A field that loses the focus here was reset, too.
      untouchedFocus.current = document.activeElement?.getAttribute('name') ?? undefined;
      control?.focus({ preventScroll: isAbove });
      untouchedFocus.current = name;
    },
    submit: (event: FormEvent<HTMLFormElement>) => {
      for (const [name, value] of new FormData(event.currentTarget)) {
        form.setValue(name as Path<Values>, value as Values[Path<Values>]);
      }
      void form.handleSubmit(onValid)(event);
    },
  };
}
