/** The form of the prerendered screen: its errors and its submit, as the app has them. */

import { unreadableError } from '../screens/unreadable.ts';
import { ownFields, type Field, type Prerendered } from './prerendered.ts';

export type FormState = Pick<Prerendered, 'form' | 'blurredFields' | 'isSubmitted'>;

/**
 * `requiredMessages` has the error message of each field when it is empty, by the field's name in
 * lower case, as HTML reads attributes. That of an optional field is empty.
 */
export function createEarlyForm(
  state: FormState,
  requiredMessages: DOMStringMap,
  onValidSubmit: () => void,
) {
  /** Extensions add fields of their own, also of the same names. */
  const isOwn = (field: Field) =>
    field.matches?.(ownFields) && Object.hasOwn(requiredMessages, field.name.toLowerCase());

  /** Returns what the app says of an empty field, or of one that the browser cannot read. */
  const errorOf = (field: Field) =>
    unreadableError(field) ?? (field.value ? '' : requiredMessages[field.name.toLowerCase()]!);

  /** Updates the error of a blurred field. */
  function validate({ target }: { target: unknown }) {
    const field = target as Field;
    const error = document.getElementById(field.getAttribute('aria-describedby') ?? '');
    if (!error || !state.blurredFields.has(field.name)) return;
    error.textContent = errorOf(field);
    field.setAttribute('aria-invalid', String(error.textContent !== ''));
  }

  function onBlur({ target }: { target: unknown }) {
    if (!isOwn(target as Field)) return;
    state.blurredFields.add((target as Field).name);
    validate({ target });
  }

  function onSubmit(event: Event) {
    if (event.target !== state.form) return;
    event.preventDefault();
    const fields = [...state.form!.querySelectorAll<Field>(ownFields)].filter(isOwn);
    for (const target of fields) onBlur({ target });
    const invalid = fields.find(errorOf);
    invalid?.focus();
    if (invalid) setSubmitted(false);
    else onValidSubmit();
  }

  function setSubmitted(isSubmitted: boolean) {
    state.isSubmitted = isSubmitted;
    const button = state.form?.querySelector('[type=submit]');
    for (const name of ['aria-busy', 'aria-disabled']) button?.setAttribute(name, `${isSubmitted}`);
  }

  return { validate, onBlur, onSubmit, setSubmitted };
}
