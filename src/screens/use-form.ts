import { zodResolver } from '@hookform/resolvers/zod';
import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import type { ChangeEvent, FocusEvent, FormEvent } from 'react';
import { flushSync } from 'react-dom';
import { useForm as useHookForm } from 'react-hook-form';
import type { DefaultValues, FieldValues, Path, Resolver } from 'react-hook-form';
import type { ZodMiniType } from 'zod/mini';
import { unreadableError } from './unreadable.ts';

type Control = HTMLInputElement | HTMLTextAreaElement;

/**
 * A form that is validated by `schema`. Calls `onValid` with the values of a valid submit.
 *
 * - `formProps`, `field(name)`: the props of the form and of a field. A field has an error once it
 *   was touched or submitted. A text that the browser cannot read is an error, and is kept.
 * - `values()`: what stands in the fields, read from the DOM, because a password manager may fill
 *   and submit a form without any event.
 * - `resetAndFocus(values)`: resets the form and focuses its first field, if nothing else has taken
 *   the focus. Leaving that field empty shows no error, because the user did not touch it. Nor does
 *   the field that had the focus. Resets nothing if the user has typed a text that the browser
 *   cannot read.
 * - `resetInNewFields(values)`: resets the form in new elements, those of `fieldsKey`, because Ctrl+Z
 *   could restore the text of the old ones. The focus stays in the form if it was there.
 */
// oxlint-disable-next-line max-lines-per-function -- its callbacks share the state of one form
export function useForm<Values extends FieldValues>(
  schema: ZodMiniType<Values, Values>,
  defaultValues: DefaultValues<Values>,
  onValid: (values: Values) => void,
) {
  const form = useHookForm<Values>({
    resolver: withUnreadable(zodResolver(schema)),
    // React Hook Form sets default values. An empty one would remove half a date that was typed
    // before hydration.
    defaultValues: Object.fromEntries(
      Object.entries(defaultValues).filter(([, value]) => value !== ''),
    ) as DefaultValues<Values>,
    // Validates a field at its first blur or submit, then at each change.
    mode: 'onTouched',
  });
  const element = useRef<HTMLFormElement>(null);
  /** The field that the app focused, until the user changes or leaves it. */
  const focusedByApp = useRef<Element>(undefined);
  const [fieldsKey, renewFields] = useReducer((count: number) => count + 1, 0);
  const { errors } = form.formState;
  const [required] = useState(() => requiredNames(schema, Object.keys(defaultValues)));
  const ownControls = useRef(new Map<string, Control>());

  /** Returns the app's own controls. An extension adds others of their names, or replaces them. */
  const controls = useCallback(
    () =>
      [...ownControls.current].map(([name, own]) =>
        own.isConnected ? own : element.current!.querySelector<Control>(`[name="${name}"]`)!,
      ),
    [],
  );

  // Has one identity, so that an effect can depend on it.
  const values = useCallback(
    () => Object.fromEntries(controls().map(({ name, value }) => [name, value])) as Values,
    [controls],
  );

  function reset(to: Values, renew = () => {}) {
    // Synchronous, because the fields are emptied, or new, when they render.
    flushSync(() => {
      form.reset(to);
      renew();
    });
  }

  function focus(name?: string | null) {
    const { elements } = element.current!;
    const control = ((name && elements.namedItem(name)) || elements[0]) as Control;
    // A user who has scrolled past the form stays there. The first key scrolls the field into view.
    const isAbove = element.current!.getBoundingClientRect().bottom < 0;
    focusedByApp.current = control;
    control.focus({ preventScroll: isAbove });
  }

  // React has no change event for a value that a program has set, such as an autofill.
  useEffect(() => {
    const listening = new AbortController();
    const revalidate = ({ target }: Event) => {
      const name = (target as Control).name as Path<Values>;
      if (ownControls.current.get(name) !== target || !form.getFieldState(name).error) return;
      void form.register(name).onChange({ target, type: 'change' });
    };
    for (const type of ['input', 'change', 'focusout'])
      addEventListener(type, revalidate, listening);
    return () => listening.abort();
  }, [form]);

  return {
    fieldsKey,
    formProps: {
      ref: element,
      onSubmit: (event: FormEvent<HTMLFormElement>) => {
        for (const control of controls()) {
          const { name, value } = control;
          if (!unreadableError(control)) form.setValue(name as Path<Values>, value as never);
        }
        void form.handleSubmit(onValid)(event);
      },
    },
    values,
    field: (name: Path<Values>) => {
      const error = errors[name]?.message;
      const registered = form.register(name);
      return {
        ...registered,
        ref: (control: Control | null) => {
          registered.ref(control);
          if (control) ownControls.current.set(name, control);
        },
        onChange: (event: ChangeEvent<Control>) => {
          focusedByApp.current = undefined;
          void registered.onChange(event);
        },
        onBlur: (event: FocusEvent<Control>) => {
          const { target, relatedTarget } = event;
          // The app moves the focus.
          if (relatedTarget && relatedTarget === focusedByApp.current) return;
          const isUntouched = target === focusedByApp.current && target.value === '';
          focusedByApp.current = undefined;
          if (!isUntouched) void registered.onBlur(event);
        },
        error: typeof error === 'string' ? error : undefined,
        'aria-required': required.includes(name),
      };
    },
    resetAndFocus: (to: Values) => {
      const all = element.current!.querySelectorAll<Control>('input[name], textarea[name]');
      if ([...all].some(unreadableError)) return;
      const { activeElement } = document;
      reset(to);
      // Safari focuses no button that is clicked.
      if (activeElement === document.body || element.current!.contains(activeElement)) focus();
    },
    resetInNewFields: (to: Values) => {
      const { activeElement } = document;
      const isFocused = element.current!.contains(activeElement);
      reset(to, renewFields);
      if (isFocused) focus(activeElement?.getAttribute('name'));
    },
  };
}

function requiredNames(schema: ZodMiniType, names: string[]) {
  const { error } = schema.safeParse(Object.fromEntries(names.map((name) => [name, ''])));
  return error?.issues.map(({ path }) => path[0]) ?? [];
}

/** Adds an error for each field whose text the browser cannot read. */
const withUnreadable =
  <Values extends FieldValues>(resolver: Resolver<Values>): Resolver<Values> =>
  async (values, context, options) => {
    const result = await resolver(values, context, options);
    const unreadable = Object.entries(options.fields).flatMap(([name, field]) => {
      const message = unreadableError((field as { ref: Control }).ref);
      return message === undefined ? [] : [[name, { type: 'unreadable', message }]];
    });
    if (unreadable.length === 0) return result;
    return { values: {}, errors: { ...result.errors, ...Object.fromEntries(unreadable) } };
  };
