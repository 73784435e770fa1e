/**
 * React's root of the app. Extensions and translators move and remove nodes of the page, and React
 * then throws. The root renders the app again in a new element, and keeps what was typed. If that
 * fails too, the error screen stays.
 */
import type { ReactElement } from 'react';
import { flushSync } from 'react-dom';
import { createRoot, hydrateRoot, type Root } from 'react-dom/client';
import { copyFields, ownFields } from './prerendered.ts';

// oxlint-disable-next-line max-lines-per-function -- its listeners share React's root
export function createAppRoot(container: HTMLElement, element: ReactElement) {
  let root: Root;
  /** Those that the user changed, and those of extensions. They keep their texts when removed. */
  let forms = new Set(document.forms);
  let formHash = location.hash;
  /** Whether the user has done nothing since the app was rendered again. */
  let isUntouched = false;
  const onInput = ({ target }: Event) => {
    const { form } = target as Partial<HTMLInputElement>;
    // An editor that an extension has added is in no form.
    if (!form) return;
    forms = formHash === location.hash ? forms.add(form) : new Set([form]);
    formHash = location.hash;
  };
  addEventListener('input', onInput, true);
  for (const type of ['pointerdown', 'keydown'])
    addEventListener(type, () => (isUntouched = false), true);
  // First of all listeners, so that the submit of the app's own form is checked as usual.
  addEventListener('submit', onSubmit, true);

  const options = {
    onRecoverableError(error: unknown, { componentStack }: { componentStack?: string }) {
      console.warn(
        'The page was not what the app renders, so React has rendered it again.',
        error,
        componentStack,
      );
    },
    onCaughtError: handle,
    onUncaughtError: handle,
  };

  function handle(error: unknown): void {
    console.error(error);
    if (isUntouched) return;
    isUntouched = true;
    const focused = document.activeElement;
    // React is still at work. The browser paints after a microtask.
    queueMicrotask(() => renderAgain(focused));
  }

  function renderAgain(focused: Element | null): void {
    const fresh = container.cloneNode(false) as HTMLElement;
    container.replaceWith(fresh);
    container = fresh;
    root.unmount();
    root = createRoot(fresh, options);
    flushSync(() => root.render(element));
    for (const form of formHash === location.hash ? forms : []) copyFields(form, focused);
  }

  /** Submits the app's own form in place of a copy, with which an extension has replaced it. */
  function onSubmit(event: Event): void {
    const form = event.target as HTMLFormElement;
    // The early page has a listener of its own.
    if (window.prerendered?.form || !container.contains(form)) return;
    const isOfReact = Object.keys(form).some((key) => key.startsWith('__react'));
    if (isOfReact || !form.querySelector(ownFields)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const focused = document.activeElement;
    renderAgain(focused);
    copyFields(form, focused)?.requestSubmit();
  }

  return {
    render() {
      root = createRoot(container, options);
      root.render(element);
    },
    /** Renders over the prerendered page, and keeps its elements. */
    hydrate() {
      root = hydrateRoot(container, element, options);
    },
  };
}
