import type { AppEvent } from './early-chart.ts';

/** The prerendered page, which the inline script hands over to the app. */
export type Prerendered = {
  /** The file name of the lazy chunk. */
  lazyChunk: string;
  root: HTMLElement;
  form: HTMLFormElement | null;
  /** Names of the fields that have lost the focus at least once. */
  blurredFields: Set<string>;
  /** The form was submitted without an error. */
  isSubmitted: boolean;
  /** The focused element when the page was frozen. */
  focused: Element | null;
  /** The year in the footer. */
  year: number;
  /** Sends an event of the app to the chart of the page. */
  send: (event: AppEvent) => void;
};

declare global {
  interface Window {
    prerendered?: Prerendered;
  }
}

export type Field = HTMLInputElement | HTMLTextAreaElement;

/** Matches the fields of the app, which have an error below them. */
export const ownFields = '[name][aria-describedby]';

/**
 * Called when the first screen is hydrated. Passes the touched fields and a pending submit to its
 * form. Copies the values too if React rendered the form again, which it does in a page that an
 * extension or a translator has changed.
 */
export function takeOver(): void {
  document.getElementById('templates')?.remove();
  if (!window.prerendered) return;
  const { form: source, blurredFields, isSubmitted, focused, send } = window.prerendered;
  send('handOver');
  window.prerendered.form = window.prerendered.focused = null;
  if (!source) return;
  const form = copyFields(source, focused);
  for (const name of form ? blurredFields : []) {
    form!
      .querySelector(`${ownFields}[name="${name}"]`)
      ?.dispatchEvent(new FocusEvent('focusout', { bubbles: true }));
  }
  // After React's work, so that a text of an earlier user can be removed first.
  if (isSubmitted) queueMicrotask(() => form?.requestSubmit());
}

/**
 * Copies the texts of a form, and the focus, to the form in the page, if that is the same form in
 * other elements. Returns the form in the page, or undefined if it is another one. Forms are the
 * same by the names of their fields, because translators change texts and attributes. Extensions
 * add fields to the source, and forms elsewhere in the page.
 */
export function copyFields(source: HTMLFormElement, focused: Element | null) {
  const sourceOf = ({ name }: Field) => source.querySelector<Field>(`${ownFields}[name="${name}"]`);
  const form = source.isConnected
    ? source
    : [...document.querySelectorAll<HTMLFormElement>('#root form')].find((each) =>
        fieldsOf(each).every(sourceOf),
      );
  for (const field of form && form !== source ? fieldsOf(form) : []) {
    const sourceField = sourceOf(field)!;
    field.value = sourceField.value;
    if (sourceField === focused) field.focus({ preventScroll: true });
  }
  return form;
}

const fieldsOf = (form: HTMLFormElement) => [...form.querySelectorAll<Field>(ownFields)];
