import './styles/global.css.ts';
import { startTransition, useLayoutEffect, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import { createApp } from './app.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('index.html needs an element with the id "root".');
const app = createApp();

const placeOf = (target: unknown) => {
  if (!(target instanceof Element)) return undefined;
  const href = target.getAttribute('href');
  return href === null ? target.matches('h1') && 'h1' : `a[href$="${CSS.escape(href)}"]`;
};
let focused = placeOf(document.activeElement);
const notice = ({ target }: FocusEvent) => {
  focused = placeOf(target);
};
addEventListener('focusin', notice);

/** What is in the page until now (see shell.tsx) looks the same. Whoever was on a link or the heading of it stays there. */
function InPlaceOfTheFirstView({ children }: { children: ReactElement }) {
  useLayoutEffect(() => {
    for (const template of document.querySelectorAll('template')) template.remove();
    removeEventListener('focusin', notice);
    if (focused) root?.querySelector<HTMLElement>(focused)?.focus();
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
