import './styles/global.css.ts';
import { startTransition, useLayoutEffect, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import { createApp } from './app.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('index.html needs an element with the id "root".');
const app = createApp();

const hrefOf = (target: unknown) =>
  target instanceof Element ? target.getAttribute('href') : null;
let focused = hrefOf(document.activeElement);
const notice = ({ target }: FocusEvent) => {
  focused = hrefOf(target);
};
addEventListener('focusin', notice);

/** What is in the page until now (see shell.tsx) looks the same. Whoever was on a link of it stays there. */
function InPlaceOfTheFirstView({ children }: { children: ReactElement }) {
  useLayoutEffect(() => {
    for (const template of document.querySelectorAll('template')) template.remove();
    removeEventListener('focusin', notice);
    if (focused) root?.querySelector<HTMLElement>(`a[href$="${CSS.escape(focused)}"]`)?.focus();
    // Or they have followed it meanwhile.
    void app.router.load();
  }, []);
  return children;
}

await app.router.load();
// In slices: whoever uses the first view meanwhile is not held up.
startTransition(() =>
  createRoot(root).render(<InPlaceOfTheFirstView>{app.element}</InPlaceOfTheFirstView>),
);
