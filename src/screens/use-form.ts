import { zodResolver } from '@hookform/resolvers/zod';
import {
  useEffect,
  useRef,
  useState,
  type ChangeEvent,
  type FocusEvent,
  type FormEvent,
} from 'react';
import {
  useForm as useHookForm,
  type DefaultValues,
  type FieldValues,
  type Path,
} from 'react-hook-form';
import type { ZodMiniType } from 'zod/mini';

type Control = HTMLInputElement | HTMLTextAreaElement;

/**
 * A form whose values obey `schema`. Takes the values to begin with and what to do with valid ones.
 *
 * - `field(name)`: the props of a field, with its error once the field was touched or a submit was tried.
 * - `restart(values, name)`: the form as new, with the focus in a field. Nobody touched that field by being put into it, so
 *   leaving it empty shows no error.
 * - `submit`: the form's onSubmit. Reads the fields as they stand in the page, for a password manager may fill and submit
 *   a form without any event that tells of it.
 */
export function useForm<Values extends FieldValues>(
  schema: ZodMiniType<Values, Values>,
  defaultValues: DefaultValues<Values>,
  onValid: (values: Values) => void,
) {
  const form = useHookForm<Values>({
    resolver: zodResolver(schema),
    defaultValues,
    // A field is first checked when it is left or submitted, and from then on with each change.
    mode: 'onTouched',
  });
  const [restarted, setRestarted] = useState<{ at: Path<Values> }>();
  const untouched = useRef<string>(undefined);
  useEffect(() => {
    if (!restarted) return;
    const control = document.querySelector<Control>(`form [name="${restarted.at}"]`);
    // Whoever has gone on to what is below the form is not thrown back to it; the first key brings the field into view.
    const isAway = (control?.form?.getBoundingClientRect().bottom ?? 0) < 0;
    control?.focus({ preventScroll: isAway });
    untouched.current = restarted.at;
  }, [restarted]);

  const { errors } = form.formState;

  return {
    form,
    field: (name: Path<Values>) => {
      const error = errors[name]?.message;
      const registered = form.register(name);
      return {
        ...registered,
        onChange: (event: ChangeEvent<Control>) => {
          untouched.current = undefined;
          void registered.onChange(event);
        },
        onBlur: (event: FocusEvent<Control>) => {
          const isUntouched = untouched.current === name && event.target.value === '';
          untouched.current = undefined;
          if (!isUntouched) void registered.onBlur(event);
        },
        error: typeof error === 'string' ? error : undefined,
      };
    },
    resetAndFocus: (values: Values, at: Path<Values>) => {
      form.reset(values);
      setRestarted({ at });
    },
    submit: (event: FormEvent<HTMLFormElement>) => {
      for (const [name, value] of new FormData(event.currentTarget)) {
        form.setValue(name as Path<Values>, value as Values[Path<Values>]);
      }
      void form.handleSubmit(onValid)(event);
    },
  };
}
