import type { Field, Prerendered } from './inline-script.ts';

/** Calls as `window.fetch` does, but for a list that is on its way since the page began: that answer is given, once. */
export function fetchWithPrefetchedList(request: Request): Promise<Response> {
  const list = request.method === 'GET' ? window.prerendered?.list : undefined;
  if (!list) return window.fetch(request);
  delete window.prerendered?.list;
  request.signal.addEventListener('abort', () => list.giveUp.abort());
  return list.answer;
}

/** The rows that the first view shows of that list. */
export const prefetchedRows = () => window.prerendered?.list?.rows;

/** Lets nobody take that list any more. */
export function discardPrefetchedList(): void {
  window.prerendered?.list?.giveUp.abort();
  delete window.prerendered?.list;
}

/** Whether something would be lost with the first view: what was typed, or projects that are in view. */
export function hasUserContent({ form, list }: Prerendered): boolean {
  const fields = [...(form?.querySelectorAll<Field>('[name]') ?? [])];
  return fields.some(({ value }) => value) || (list?.rows ?? []).length > 0;
}

/**
 * Goes on in the app's form where a person was in that of the first view: what they typed, where they are, which fields they
 * left, and that they pressed its button. Does nothing where the app shows another form.
 */
export function transferFormState(root: HTMLElement, view: Prerendered): void {
  const { form, left, submitted, stop } = view;
  stop();
  // Or it stays in memory.
  view.form = null;
  const own = root.querySelector('form');
  const name = 'aria-label';
  if (!form || !own || own.getAttribute(name) !== form.getAttribute(name)) return;
  const focused = document.activeElement;
  for (const before of form.querySelectorAll<Field>('[name]')) {
    const field = own.querySelector<Field>(`[name="${before.name}"]`);
    if (!field) continue;
    field.value = before.value;
    if (field === focused) select(field, before);
    else if (left.has(before.name))
      field.dispatchEvent(new FocusEvent('focusout', { bubbles: true }));
  }
  if (submitted) own.requestSubmit();
}

/** Emails have no selection that could be asked for: there it is the end. */
function select(field: Field, { selectionStart, selectionEnd }: Field) {
  if (selectionStart !== null) field.setSelectionRange(selectionStart, selectionEnd);
}
