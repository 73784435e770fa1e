import type { Field, Prerendered } from './inline-script.ts';

/** Wraps `window.fetch`. Returns the prefetched response for the first request of the list. */
export function fetchWithPrefetchedList(request: Request): Promise<Response> {
  const list = request.method === 'GET' ? window.prerendered?.list : undefined;
  if (!list) return window.fetch(request);
  delete window.prerendered?.list;
  request.signal.addEventListener('abort', () => list.abortController.abort());
  return list.response;
}

/** Returns the rows of that list that the prerendered screen shows. */
export const prefetchedRows = () => window.prerendered?.list?.rows;

export function discardPrefetchedList(): void {
  window.prerendered?.list?.abortController.abort();
  delete window.prerendered?.list;
}

/** Returns whether replacing the prerendered screen would lose typed text or rows. */
export function hasUserContent({ form, list }: Prerendered): boolean {
  const fields = [...(form?.querySelectorAll<Field>('[name]') ?? [])];
  return fields.some(({ value }) => value) || (list?.rows ?? []).length > 0;
}

/**
 * Transfers the values, the selection, the touched fields and a pending submit from the prerendered
 * form to the app's form. Transfers nothing when the app shows another form.
 */
export function transferFormState(root: HTMLElement, prerendered: Prerendered): void {
  const { form: source, blurredFields, isSubmitted, stopListening } = prerendered;
  stopListening();
  prerendered.form = null;
  const form = root.querySelector('form');
  const label = 'aria-label';
  if (!source || !form || form.getAttribute(label) !== source.getAttribute(label)) return;
  const focused = document.activeElement;
  for (const sourceField of source.querySelectorAll<Field>('[name]')) {
    const { name, value, selectionStart, selectionEnd } = sourceField;
    const field = form.querySelector<Field>(`[name="${name}"]`);
    if (!field) continue;
    field.value = value;
    if (field === focused) {
      // Email fields have no selection, so the cursor stays at their end.
      if (selectionStart !== null) field.setSelectionRange(selectionStart, selectionEnd);
    } else if (blurredFields.has(name)) {
      field.dispatchEvent(new FocusEvent('focusout', { bubbles: true }));
    }
  }
  if (isSubmitted) form.requestSubmit();
}
