/** The state of the prerendered page, which `inline-script.ts` passes to the app. */

export type Prerendered = {
  /** The file name of the lazy chunk. */
  lazyChunk: string;
  form: HTMLFormElement | null;
  /** Names of the fields that have lost the focus at least once. */
  blurredFields: Set<string>;
  /** The form was submitted with no field empty. */
  isSubmitted: boolean;
  /** The focused element when hydration started. */
  focused: Element | null;
  /** Shows that the app could not be loaded. */
  showLoadError: () => void;
  /**
   * Shows the screen of the URL as the app renders it first. Then only the form still changes, and
   * the router receives no navigation until `stopListening`.
   */
  prepareHydration: () => void;
  /**
   * Stops changing the form. Lets the router follow a navigation that came since
   * `prepareHydration`.
   */
  stopListening: () => void;
};

declare global {
  interface Window {
    prerendered?: Prerendered;
  }
}

export type Field = HTMLInputElement | HTMLTextAreaElement;

/**
 * Called when the first screen is hydrated. Passes the touched fields and a pending submit to its
 * form. Copies the values too if React rendered the form again, which it does in a page that an
 * extension or a translator has changed.
 */
export function transferFormState(): void {
  document.getElementById('templates')?.remove();
  if (!window.prerendered) return;
  const { form: source, blurredFields, isSubmitted, focused, stopListening } = window.prerendered;
  stopListening();
  window.prerendered.form = window.prerendered.focused = null;
  const form = source?.isConnected ? source : document.querySelector('form');
  if (!source || form?.ariaLabel !== source.ariaLabel) return;
  for (const sourceField of source.querySelectorAll<Field>('[name]')) {
    const field = form.querySelector<Field>(`[name="${sourceField.name}"]`);
    if (!field) continue;
    if (field !== sourceField) {
      field.value = sourceField.value;
      if (sourceField === focused) field.focus({ preventScroll: true });
    }
    if (blurredFields.has(field.name)) {
      field.dispatchEvent(new FocusEvent('focusout', { bubbles: true }));
    }
  }
  if (isSubmitted) form.requestSubmit();
}
