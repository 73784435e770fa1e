import './styles/global.css.ts';
import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { createApp } from './app.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('index.html needs an element with the id "root".');
const app = createApp();

// What is in the page until now (see shell.tsx) looks the same: it stays until the app can take its place.
await app.router.load();
// The first view shows nothing any more from here on.
for (const template of document.querySelectorAll('template')) template.remove();
// In small steps, so that the page answers meanwhile.
startTransition(() => createRoot(root).render(app.element));
