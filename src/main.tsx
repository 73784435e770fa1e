import './styles/global.css.ts';
import { createRoot } from 'react-dom/client';
import { createApp } from './app.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('index.html needs an element with the id "root".');
createRoot(root).render(createApp().element);
