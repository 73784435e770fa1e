import { useEffect, useState } from 'react';
import { visuallyHidden } from '../styles/visually-hidden.css.ts';

/** Text for screen readers only. They announce it each time `count` grows. */
export function Announcement({ count, children }: { count: number; children: string }) {
  // Screen readers skip an unchanged text, so every second one ends in a no-break space.
  const text = count % 2 === 0 ? `${children}\u00a0` : children;
  return (
    <p role="status" className={visuallyHidden}>
      {count > 0 && text}
    </p>
  );
}

/** Firefox announces a text only if its empty element was in the page for a frame before. */
const delayMs = 500;

/** Then a screen reader that reads the whole page finds no text that is not true any more. */
const keptMs = 5_000;

/**
 * Text for screen readers only. They announce it when it has not changed for half a second. It is
 * removed some seconds later.
 */
export function DelayedAnnouncement({ children }: { children: string }) {
  const [text, setText] = useState('');
  useEffect(() => {
    const timers = [
      setTimeout(setText, delayMs, children),
      setTimeout(setText, delayMs + keptMs, ''),
    ];
    return () => {
      for (const timer of timers) clearTimeout(timer);
    };
  }, [children]);
  return (
    <p aria-live="polite" className={visuallyHidden}>
      {text}
    </p>
  );
}
